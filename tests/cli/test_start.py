"""Starting the program: verbs, help, versions, mistakes."""
import json
import os
import re
import shutil
import stat
import subprocess
import time

import support
from support import SkimTest

VERBS = ["read", "run", "eval", "sweep", "tune", "bench", "info", "verify", "quantize", "upgrade"]


class Start(SkimTest):
    def test_version_is_one_line(self):
        self.assertRegex(self.ok("--version"), r"^skim \d+\.\d+\.\d+\n$")

    def test_starts_quickly(self):
        def start():
            before = time.perf_counter()
            subprocess.run([support.SKIM, "--version"], stdout=subprocess.DEVNULL, check=True)
            return time.perf_counter() - before
        def start_nothing():
            before = time.perf_counter()
            subprocess.run(["/bin/true"], check=True)
            return time.perf_counter() - before
        # What starting any process costs here is not our doing. The bound is loose because sanitizers are slow.
        ours = min(start() for _ in range(10)) - min(start_nothing() for _ in range(10))
        self.assertLess(ours, 0.2)

    def test_help_lists_every_verb(self):
        for arguments in (["help"], ["--help"], ["-h"]):
            text = self.ok(*arguments)
            for verb in VERBS + ["train"]:
                self.assertRegex(text, rf"(?m)^  {verb}\s+\S")

    def test_every_verb_has_help(self):
        for verb in VERBS:
            text = self.ok("help", verb)
            self.assertTrue(text.startswith(f"skim {verb} "), text)
            self.assertEqual(text, self.ok(verb, "--help"))
            self.assertIn("--json", text)

    def test_help_fits_a_terminal(self):
        for verb in VERBS:
            for line in self.ok("help", verb).splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_missing_verb_is_wrong_usage(self):
        self.fails(code=2, says="usage: skim VERB")

    def test_suggests_a_verb(self):
        self.fails("raed", code=2, says="did you mean 'read'?")
        self.fails("verfy", code=2, says="did you mean 'verify'?")
        self.fails("help", "quantise", code=2, says="did you mean 'quantize'?")
        self.assertNotIn("did you mean", self.fails("xyzzy", code=2))

    def test_suggests_an_option(self):
        self.fails("read", "--treshold", "0.5", "x", code=2, says="did you mean --threshold?")
        self.fails("info", "--bogus-thing", code=2, says=["unknown option --bogus-thing", "skim help info"])

    def test_renamed_options_give_the_new_name(self):
        for verb, old, new in (("bench", "--hidden", "--hidden-size"), ("bench", "--small", "--skim-size"),
                               ("bench", "--small-sees", "--small-input"), ("quantize", "--vocabulary", "--vocab-size")):
            with self.subTest(verb=verb, old=old):
                self.fails(verb, old, "10", code=2, says=f"{old} is now {new}")
                self.fails(verb, f"{old}=10", code=2, says=f"{old} is now {new}")

    def test_invalid_values_are_wrong_usage(self):
        for arguments in (["read", "--threshold", "1.5", "x"], ["read", "--threshold", "nan", "x"],
                          ["read", "--threshold", "-0.1", "x"], ["read", "--threshold", "high", "x"],
                          ["read", "--budget", "2", "x"], ["read", "--color", "sometimes", "x"],
                          ["read", "--threshold", "0.5", "--argmax", "x"], ["read", "--threshold"],
                          ["run", "--words"], ["run", "--threads", "many"], ["run", "a", "b"], ["eval"],
                          ["eval", "x.tsv", "--limit", "-1"], ["eval", "x.tsv", "--rounds", "0"],
                          ["sweep", "x.tsv", "--thresholds", "0,2"], ["tune", "x.tsv", "--points", "1"],
                          ["quantize", "x.skim", "--out", "y"], ["quantize", "x.skim", "--weights", "int4"],
                          ["quantize", "x.skim", "--weights", "int8"], ["bench", "--cell", "transformer"]):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, code=2, says=f"skim {arguments[0]}: ")

    def test_messages_name_the_option_and_the_value(self):
        self.fails("read", "--threshold", code=2, says="--threshold needs a value")
        self.fails("run", "--threads", "many", code=2, says=["--threads", "'many'"])
        self.fails("eval", code=2, says="FILE is required")
        self.fails("eval", "a", "b", code=2, says="unexpected argument: b")

    def test_last_of_repeated_options_wins(self):
        out = self.json("read", "--json", "--model", support.MODEL, "--threshold", "0.5", "--threshold", "0.25", "x")
        self.assertEqual(out["threshold"], 0.25)

    def test_messages_cannot_send_terminal_escapes(self):
        for arguments in (["\x1b[2J"], ["read", "--\x1b[2J"], ["info", "/no\x1b[2J"]):
            self.assertNotIn("\x1b", support.skim(*arguments).err)


class Model(SkimTest):
    def test_missing_built_in_model_is_explained(self):
        with_copy = support.FOLDER / "alone"
        with_copy.mkdir(exist_ok=True)
        program = shutil.copy(support.SKIM, with_copy)
        done = subprocess.run([program, "read", "text"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--model FILE", done.stderr)
        self.assertIn("default.skim", done.stderr)

    def test_finds_the_default_model(self):
        for number, place in enumerate(("bin/default.skim", "share/skim/default.skim")):
            root = support.FOLDER / f"installed{number}"
            (root / "bin").mkdir(parents=True)
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            program = shutil.copy(support.SKIM, root / "bin")
            shutil.copy(support.MODEL, root / place)
            done = subprocess.run([program, "read", "--quiet", "text"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_built_in_models_are_found_by_name(self):
        root = support.FOLDER / "several"
        root.mkdir()
        program = shutil.copy(support.SKIM, root)
        shutil.copy(support.MODEL, root / "default.skim")
        shutil.copy(support.path("span.skim"), root / "questions.skim")
        passage = support.path("mill.txt")
        open(passage, "w", encoding="utf-8").write("The mill was built by two brothers.")

        def run(*arguments):
            return subprocess.run([program, *arguments], capture_output=True, text=True)

        self.assertIn("span", run("info", "--model", "questions").stdout)
        asked = run("read", "--question", "Who built the mill?", passage, "--json")
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertEqual(json.loads(asked.stdout)["words"][1]["text"], "mill")
        missing = run("read", "--question", "Who built the mill?", passage + "x")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("mill.txtx", missing.stderr)
        word = run("read", "--question", "Who built the mill?", "Brothers.", "--json")
        self.assertEqual(json.loads(word.stdout)["words"][0]["text"], "Brothers")
        for nothing in ("", " "):
            empty = run("read", "--question", nothing, passage)
            self.assertEqual((empty.returncode, empty.stdout), (2, ""))
            self.assertIn("--question is empty", empty.stderr)
        nobody = run("info", "--model", "answers")
        self.assertEqual(nobody.returncode, 1)
        self.assertIn("there is no built-in model 'answers'", nobody.stderr)

    def test_missing_model_is_reported(self):
        for verb in ("read", "run"):
            self.fails(verb, "--model", "/no/such.skim", text="x", says="/no/such.skim")
        for verb in ("info", "verify"):
            self.fails(verb, "/no/such.skim", says="/no/such.skim")
        for verb in ("eval", "sweep", "tune"):
            self.fails(verb, support.DATA, "--model", "/no/such.skim", says="/no/such.skim")

    def test_corrupt_models_are_reported(self):
        whole = open(support.MODEL, "rb").read()
        broken = support.path("broken.skim")
        for damage, content in (("cut", whole[: len(whole) // 2]), ("empty", b""), ("text", b"not a model at all")):
            open(broken, "wb").write(content)
            for arguments in (["read", "x", "--model", broken], ["info", broken], ["verify", broken],
                              ["eval", support.DATA, "--model", broken],
                              ["quantize", broken, "--weights", "int8", "--out", support.path("never.skim")]):
                with self.subTest(damage=damage, verb=arguments[0]):
                    self.fails(*arguments, says="broken.skim")
        self.assertFalse(os.path.exists(support.path("never.skim")))

    def test_rejects_a_directory_as_model(self):
        self.fails("info", support.FOLDER, says=str(support.FOLDER))


class Train(SkimTest):
    def copy_of_skim(self, name):
        folder = support.FOLDER / name
        folder.mkdir()
        return folder, shutil.copy(support.SKIM, folder)

    def test_missing_trainer_is_explained(self):
        _, program = self.copy_of_skim("untrained")
        done = subprocess.run([program, "train"], capture_output=True, text=True, env={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("skim-train", done.stderr)

    def test_starts_the_trainer_beside_the_program(self):
        folder, program = self.copy_of_skim("trained")
        trainer = folder / "skim-train"
        trainer.write_text("#!/bin/sh\necho \"trained with $*\"\nexit 7\n")
        trainer.chmod(trainer.stat().st_mode | stat.S_IXUSR)
        done = subprocess.run([program, "train", "--train", "a b"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (7, "trained with --train a b\n"))

    def test_finds_the_trainer_on_the_path(self):
        folder, program = self.copy_of_skim("elsewhere")
        (folder / "bin").mkdir()
        trainer = folder / "bin" / "skim-train"
        trainer.write_text("#!/bin/sh\necho found\n")
        trainer.chmod(trainer.stat().st_mode | stat.S_IXUSR)
        done = subprocess.run([program, "train"], capture_output=True, text=True, env={"PATH": f"{folder}/bin:/bin"})
        self.assertEqual(re.sub(r"\s", "", done.stdout), "found")
