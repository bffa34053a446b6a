#!/usr/bin/env python3
"""Runs the examples of README.md and docs/getting-started.md in a directory that looks like the tree after ./demo.

Of the README, every sh block runs by itself, and the C++ program is compiled and run. The sh blocks of
docs/getting-started.md run from top to bottom in one shell, then its Python program. A block that must not be run has a
comment `<!-- not run: why -->` on the line before it.

Needs SKIM_SOURCE and SKIM_BUILD, as ctest sets them.
"""
import hashlib
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["SKIM_SOURCE"])
BUILD = pathlib.Path(os.environ["SKIM_BUILD"])
BLOCK = re.compile(r"(?P<mark><!-- not run: [^>]* -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)


def blocks(kind, page="README.md"):
    text = (SOURCE / page).read_text(encoding="utf-8")
    return [match["text"] for match in BLOCK.finditer(text) if match["kind"] == kind and not match["mark"]]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class ExampleTest(unittest.TestCase):
    """A temporary directory with build/release and examples."""

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

    def run_in_tree(self, *command, **environment):
        done = subprocess.run(command, cwd=self.tree, capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        self.assertTrue(done.stdout.strip(), f"{command} printed nothing")
        return done.stdout


class Readme(ExampleTest):
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
        subprocess.run(["g++", *flags, "readme.cpp", BUILD / "libskim.a", "-lhwy", "-lsimdjson",
                        "-lutf8proc", "-pthread", "-o", "readme"], cwd=self.tree, check=True)
        self.assertIn("% skimmed", self.run_in_tree("./readme"))


@unittest.skipUnless((BUILD / "skim-train").exists(), "a build without training")
class GettingStarted(ExampleTest):
    PAGE = "docs/getting-started.md"

    def test_page_works_from_top_to_bottom(self):
        script = "".join(blocks("sh", self.PAGE)).replace("8080", str(free_port()))
        stop_server = "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n"
        output = self.run_in_tree("bash", "-e", "-o", "pipefail", "-c", stop_server + script)
        self.assertRegex(output, r"dev accuracy (9\d|100)\.\d+ %")
        self.assertIn('"answer":{"text":"billing"', output.replace(" ", ""))
        self.run_python_program()

    def run_python_program(self):
        if not list(BUILD.glob("python/skim/_skim*")):
            return  # a build without the Python package
        (program,) = blocks("python", self.PAGE)
        cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
        python = re.search(r"^Python_EXECUTABLE:\w+=(.+)$", cache, re.MULTILINE)[1]
        output = self.run_in_tree(python, "-c", program, PYTHONPATH=str(BUILD / "python"))
        self.assertEqual([line.split()[0] for line in output.splitlines()], ["billing", "bug"])


if __name__ == "__main__":
    unittest.main()
