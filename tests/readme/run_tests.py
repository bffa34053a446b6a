#!/usr/bin/env python3
"""Runs the examples of the README: every sh block and the C++ program, in a directory that looks like the tree after
./demo. A block that must not be run has a comment `<!-- not run: why -->` on the line before it.

Needs SKIM_SOURCE and SKIM_BUILD, as ctest sets them.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SKIM_SOURCE"])
BUILD = pathlib.Path(os.environ["SKIM_BUILD"])
BLOCK = re.compile(r"(?P<mark><!-- not run: [^>]* -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)


def blocks(kind):
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    return [match["text"] for match in BLOCK.finditer(text) if match["kind"] == kind and not match["mark"]]


class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.tree = pathlib.Path(cls.folder.name)
        (cls.tree / "build/demo").mkdir(parents=True)
        (cls.tree / "build/release").symlink_to(BUILD)
        (cls.tree / "examples").symlink_to(SOURCE / "examples")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_in_tree(self, *command):
        done = subprocess.run(command, cwd=self.tree, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        self.assertTrue(done.stdout.strip(), f"{command} said nothing")
        return done.stdout

    def test_shell_blocks_run(self):
        self.assertGreater(len(blocks("sh")), 3)
        for block in blocks("sh"):
            if "skim train" in block and not (BUILD / "skim-train").exists():
                continue  # a build without training
            with self.subTest(block):
                self.run_in_tree("bash", "-e", "-o", "pipefail", "-c", block)

    def test_built_in_model_matches_its_card_and_the_readme(self):
        card = json.loads((SOURCE / "models/default.json").read_text())
        model = (SOURCE / "models/default.skim").read_bytes()
        self.assertEqual(hashlib.sha256(model).hexdigest(), card["sha256"]["default.skim"])
        self.assertEqual(len(model), card["bytes"])
        self.assertLessEqual(len(model), 8_000_000)
        readme = (SOURCE / "README.md").read_text(encoding="utf-8")
        for scores in card["test"].values():
            cells = f'{scores["accuracy"]:.1%} | {scores["skim_rate"]:.1%} | {scores["flop_reduction"]["counted"]:.1f}x |'
            self.assertIn(cells.replace("%", " %"), readme)

    def test_question_model_matches_its_card_and_the_docs(self):
        card = json.loads((SOURCE / "models/questions.json").read_text())
        model = (SOURCE / "models/questions.skim").read_bytes()
        self.assertEqual(hashlib.sha256(model).hexdigest(), card["sha256"]["questions.skim"])
        self.assertEqual(len(model), card["bytes"])
        self.assertLessEqual(len(model), 6_000_000)
        (scores,) = card["test"].values()
        cells = f'{scores["f1"]:.1%} | {scores["exact_match"]:.1%} | {scores["skim_rate"]:.1%} | ' \
                f'{scores["flop_reduction"]["counted"]:.1f}x |'
        self.assertIn(cells.replace("%", " %"), (SOURCE / "docs/built-in-model.md").read_text(encoding="utf-8"))
        self.assertIn(f'{100 * scores["f1"]:.1f} F1', (SOURCE / "README.md").read_text(encoding="utf-8"))

    def test_question_model_answers_depend_on_the_question(self):
        text = "The harbour froze in the winter of 1962. When the ice broke in March, a merchant, Elias Brandt, " \
               "sent his ships."
        for question, answer in (("When did the ice break?", "March"), ("Who sent his ships?", "Elias Brandt")):
            done = self.run_in_tree("build/release/skim", "read", "--json", "--question", question, text)
            self.assertEqual(json.loads(done)["answer"]["text"], answer)

    def test_cpp_example_compiles_and_runs(self):
        (program,) = blocks("cpp")
        (self.tree / "readme.cpp").write_text(program)
        flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE}/include"]
        subprocess.run(["g++", *flags, "readme.cpp", BUILD / "libskim.a", "-lhwy", "-pthread", "-o", "readme"],
                       cwd=self.tree, check=True)
        self.assertIn("% skimmed", self.run_in_tree("./readme"))


if __name__ == "__main__":
    unittest.main()
