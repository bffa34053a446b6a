"""Shared by the tests: programs, models and data made once, helpers to run skim."""
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SKIM = MAKE_DATA = ""
FOLDER = pathlib.Path()
MODEL = DATA = ""

# Seconds; generous because machines may be busy and sanitizers are slow.
TIMEOUT = 120


@contextlib.contextmanager
def prepared(skim, planted):
    """Provides a temporary directory with planted models and data."""
    global SKIM, MAKE_DATA, FOLDER, MODEL, DATA
    SKIM, MAKE_DATA = os.path.abspath(skim), os.path.abspath(planted)
    with tempfile.TemporaryDirectory(prefix="skim-cli-") as name:
        FOLDER = pathlib.Path(name)
        MODEL, DATA = str(FOLDER / "planted.skim"), str(FOLDER / "planted.tsv")
        make = [os.path.abspath(planted), "--vocab-size", "2000"]
        subprocess.run(make + ["--model", MODEL, "--data", DATA, "--examples", "60"], check=True)
        subprocess.run(make + ["--model", str(FOLDER / "both.skim"), "--bidirectional", "yes", "--num-layers", "2"],
                       check=True)
        subprocess.run(make + ["--model", str(FOLDER / "dense.skim"), "--reader", "dense"], check=True)
        for name, output in (("multilabel", "sigmoid"), ("number", "linear")):
            subprocess.run(make + ["--model", str(FOLDER / f"{name}.skim"), "--output", output], check=True)
        subprocess.run([make[0], "--model", str(FOLDER / "span.skim"), "--net", "span", "--hidden-size", "12", "--skim-size", "4",
                        "--embedding-size", "8"], check=True)
        yield


def path(name):
    return str(FOLDER / name)


def skim(*arguments, text=None, environment=None, **more):
    """Runs skim with `text` as standard input (empty by default)."""
    given = text.encode() if isinstance(text, str) else text
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | (environment or {})
    done = subprocess.run([SKIM, *map(str, arguments)], input=given if given is not None else b"", timeout=TIMEOUT,
                          stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, env=env, **more)
    done.out = (done.stdout or b"").decode()
    done.err = done.stderr.decode()
    return done


class SkimTest(unittest.TestCase):
    maxDiff = None

    def ok(self, *arguments, **more):
        """Runs skim; asserts success and an empty standard error."""
        done = skim(*arguments, **more)
        self.assertEqual(done.returncode, 0, done.err)
        self.assertEqual(done.err, "")
        return done.out

    def json(self, *arguments, **more):
        return json.loads(self.ok(*arguments, **more))

    def fails(self, *arguments, code=1, says=(), **more):
        """Runs skim; asserts the exit code and these messages on standard error only."""
        done = skim(*arguments, **more)
        self.assertEqual(done.returncode, code, done.out + done.err)
        self.assertEqual(done.out, "")
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, done.err)
        return done.err

    def assertFields(self, value, fields):
        for field in fields:
            self.assertIn(field, value)

    def assertFlops(self, value):
        self.assertEqual(list(value), ["paper", "counted", "executed"])
        for factor in value.values():
            self.assertGreater(factor, 0)
