"""Outputs that would overwrite an input of the same command."""
import os
import pathlib
import shutil
import subprocess
import unittest

import support
from support import SkimTest


class OutputIsInput(SkimTest):
    def names(self, file):
        """The file by its name, by a symbolic link and by a hard link."""
        links = [pathlib.Path(support.path(f"{kind}-link")) for kind in ("symbolic", "hard")]
        for link in links:
            link.unlink(missing_ok=True)
        links[0].symlink_to(file)
        os.link(file, links[1])
        return [file, *links]

    def refused(self, original, *arguments, names=3):
        """Runs skim with the output {out} at each name of a copy of `original`, which is the input {file}."""
        file = pathlib.Path(shutil.copy(original, support.path("copy" + pathlib.Path(original).suffix)))
        content = file.read_bytes()
        for out in self.names(file)[-names:]:
            with self.subTest(out=out.name, arguments=arguments):
                given = [str(each).format(file=file, out=out) for each in arguments]
                self.fails(*given, code=2, says=[f"{out} is the same file as", "give another name"])
                self.assertEqual(file.read_bytes(), content)

    def test_inputs_are_not_overwritten(self):
        state, words = support.path("state.safetensors"), support.path("words.txt")
        pathlib.Path(state).write_bytes(b"state")
        pathlib.Path(words).write_text("the\na\n")
        model = ["--model", support.MODEL]
        self.refused(support.DATA, "tune", "{file}", *model, "--out", "{out}")
        self.refused(support.MODEL, "read", "--model", "{file}", "--html", "{out}", "text")
        self.refused(support.DATA, "read", *model, "--file", "{file}", "--html", "{out}")
        self.refused(support.DATA, "read", "--model", support.path("span.skim"), "--question", "Who?", "{file}", "--html",
                     "{out}")
        self.refused(support.MODEL, "quantize", "{file}", "--weights", "int8", "--out", "{out}")
        self.refused(support.MODEL, "export", "{file}", "--onnx", "{out}")
        self.refused(support.MODEL, "export", "{file}", "--onnx", support.path("new.onnx"), "--words", "{out}")
        self.refused(state, "import", "{file}", "--words", words, "--labels", "a,b", "--out", "{out}")
        self.refused(words, "import", state, "--words", "{file}", "--labels", "a,b", "--out", "{out}")
        self.refused(support.MODEL, "serve", "--port", 0, "--model", "name={file}", "--access-log", "{out}")

    @unittest.skipUnless((pathlib.Path(os.environ.get("SKIM", "")).parent / "skim-train").exists(), "without training")
    def test_training_does_not_overwrite_its_inputs(self):
        # By one name each: loading LibTorch takes a second.
        new = support.path("trained.skim")
        self.refused(support.DATA, "train", "--train", support.DATA, "--train", "{file}", "--out", "{out}", names=1)
        self.refused(support.DATA, "train", "--train", "{file}", "--out", new, "--log", "{out}", names=1)
        self.refused(support.MODEL, "train", "--train", support.DATA, "--start-from", "{file}", "--out", "{out}", names=1)

    def test_standard_input_is_not_overwritten(self):
        name = support.path("input.txt")
        pathlib.Path(name).write_text("a film")
        with open(name, "rb") as given:
            done = subprocess.run([support.SKIM, "read", "--model", support.MODEL, "--html", name], stdin=given,
                                          capture_output=True, text=True)
        self.assertEqual((done.returncode, pathlib.Path(name).read_text()), (2, "a film"))

    def test_the_built_in_model_is_not_overwritten(self):
        folder = support.FOLDER / "built-in-output"
        folder.mkdir()
        program, model = shutil.copy(support.SKIM, folder), shutil.copy(support.MODEL, folder / "default.skim")
        for choice in ([], ["--model", "default"]):
            done = subprocess.run([program, "read", *choice, "--html", model, "text"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is the same file as the", done.stderr)

    def test_two_outputs_must_differ(self):
        self.fails("export", support.MODEL, "--onnx", support.path("same"), "--words", support.path("same"), code=2,
                   says="is the same file as --onnx")

    def test_models_may_be_replaced_in_place(self):
        for verb, arguments in (("tune", ["tune", support.DATA, "--points", "3"]), ("upgrade", ["upgrade"])):
            name = shutil.copy(support.MODEL, support.path(f"in-place-{verb}.skim"))
            model = [name] if verb == "upgrade" else ["--model", name]
            self.ok(*arguments, *model)
            self.ok(*arguments, *model, "--out", name)
            self.ok("verify", name)
