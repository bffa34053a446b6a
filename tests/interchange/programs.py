"""Shared by the tests: the programs, a temporary directory, models made by make_data."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SKIM = os.path.abspath(os.environ["SKIM"])
PLANTED = os.path.abspath(os.environ["SKIM_MAKE_DATA"])
SOURCE = pathlib.Path(os.environ["SKIM_SOURCE"])


def run(*command, **more):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)


class InterchangeTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        kept = tempfile.TemporaryDirectory(prefix="skim-interchange-")
        cls.addClassCleanup(kept.cleanup)
        cls.folder = pathlib.Path(kept.name)

    def path(self, name):
        return self.folder / name

    def ok(self, *arguments, text=None):
        """Runs skim; asserts success and returns its output."""
        done = run(SKIM, *arguments, input=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, *arguments, says=(), code=1):
        """Runs skim; asserts failure with these messages on standard error."""
        done = run(SKIM, *arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.stderr)

    def planted(self, name, *options):
        """A model with hand-set weights that skims most words."""
        path = self.path(name)
        subprocess.run([PLANTED, "--model", str(path), *options], check=True)
        return path

    def readings(self, model, texts, threshold=0.5):
        """Readings of the texts by skim."""
        out = self.ok("run", "--json", "--words", "--model", model, "--threshold", threshold, "--input", "text",
                      text="".join(text + "\n" for text in texts))
        return [json.loads(line) for line in out.splitlines()]


def example(kind):
    """The only block of this language in docs/interchange.md."""
    (text,) = re.findall(rf"^```{kind}\n(.*?)^```$", (SOURCE / "docs/interchange.md").read_text(), re.MULTILINE | re.DOTALL)
    return text


def get_scores(reading):
    if "value" in reading["answer"]:
        return [reading["answer"]["value"]]
    return [entry["score"] for entry in reading["scores"]]


def get_widths(reading):
    return [[step["width"] for step in one["steps"]] for one in reading["passes"]]


def get_p_read(reading):
    return [[step["p_read"] for step in one["steps"]] for one in reading["passes"]]


def largest_difference(left, right):
    return max((abs(a - b) for a, b in zip(left, right, strict=True)), default=0)
