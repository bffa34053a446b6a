"""Shared by the tests of skim train: the program, a small data set and a run of a second.

Environment: SKIM (the program; skim-train stands beside it), SKIM_MAKE_DATA (make_data).
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

SKIM = os.environ["SKIM"]
MAKE_DATA = os.environ["SKIM_MAKE_DATA"]


def skim(*arguments, **options):
    return subprocess.run([SKIM, *map(str, arguments)], capture_output=True, text=True, timeout=500, **options)


def make_data(*arguments):
    done = subprocess.run([MAKE_DATA, *map(str, arguments)], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


class Trainings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.at = pathlib.Path(cls.folder.name)
        make_data("planted", "--into", cls.at / "small", "--train", 300, "--dev", 50, "--words", 20)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def train(self, *options, check=True):
        done = skim("train", *options)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    @classmethod
    def quick(cls, out, *options):
        """Options of a run of a second, without subwords."""
        usual = {"--train": cls.at / "small/train.tsv", "--dev": cls.at / "small/dev.tsv", "--hidden-size": 20,
                 "--skim-size": 4, "--max-steps": 120, "--eval-steps": 20, "--embedding-size": 16, "--embeddings": "none",
                 "--buckets": 0, "--threads": 1}
        rest = [part for name, value in usual.items() if name not in options for part in (name, value)]
        return ["--out", out, *rest, *options]
