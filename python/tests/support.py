"""What the tests share: programs, and models and texts made once."""
import contextlib
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

import skim

SOURCE = pathlib.Path(os.environ["SKIM_SOURCE"])
BUILD = pathlib.Path(os.environ["SKIM_BUILD"])
PROGRAM = os.environ["SKIM"]
FOLDER = pathlib.Path()

# Characters of one to four bytes, signs that the tokenizer cuts off, and an unusual space.
ODD_ENDINGS = ["", " A naïve café, don't you think?", " 日本の映画 10/10 🙂🙂", "\u00a0– “so-so” … n't", " e\u0301te\u0301 \u2028x"]

QUESTION = "Who is the guard of Velmora?"
CHOICES = ["Tobin", "a naïve 🙂 guard", "nobody", "Tobin"]


@contextlib.contextmanager
def prepared():
    """A folder with planted models, random models that answer questions, and 1,000 texts; removed in the end."""
    global FOLDER
    with tempfile.TemporaryDirectory(prefix="skim-python-") as name:
        FOLDER = pathlib.Path(name)
        planted = [os.environ["SKIM_PLANTED"], "--vocabulary", "2000"]
        for file, options in (("planted", []), ("both", ["--bidirectional", "yes", "--layers", "2"]),
                              ("levels", ["--cell", "gru", "--small", "20,0", "--weights", "int8", "--pooling", "max"])):
            subprocess.run([*planted, "--model", FOLDER / f"{file}.skim", *options], check=True)
        subprocess.run([*planted, "--seeds", FOLDER], check=True)
        subprocess.run([os.environ["SKIM_PLANTED"], "planted", "--into", FOLDER, "--train", "1000", "--dev", "1", "--test",
                        "1", "--seed", "5"], check=True)
        yield


@functools.lru_cache(maxsize=None)
def model(name):
    """The built-in model, or one of those in the folder."""
    return skim.Model.load(None if name == "default" else FOLDER / f"{name}.skim")


def path_of(name):
    return skim._model.built_in() if name == "default" else FOLDER / f"{name}.skim"


@functools.lru_cache(maxsize=None)
def texts():
    """1,000 of the project's own making, some with characters of more than a byte."""
    lines = (FOLDER / "train.tsv").read_text(encoding="utf-8").splitlines()
    made = [line.split("\t")[1] + ODD_ENDINGS[i % len(ODD_ENDINGS)] for i, line in enumerate(lines)]
    assert len(made) == 1000
    return made


def run_skim(*arguments, text=""):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text.encode(), capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def run_json(name, queries, *options):
    """What `skim run --json --words` says of queries, one dict each."""
    lines = "".join(json.dumps(query) + "\n" for query in queries)
    said = run_skim("run", "--model", path_of(name), "--input", "json", "--json", "--words", *options, text=lines)
    return [json.loads(line) for line in said.splitlines()]


def tensors_for(spec, seed=1):
    """Random weights for a plain or skimming reader with linear decisions."""
    random = np.random.default_rng(seed)
    gates = {"lstm": 4, "gru": 3, "rnn": 1}[spec["cell"]]

    def cell(prefix, units, sees):
        shapes = {"w": (gates * units, spec["input"]), "u": (gates * units, sees), "b": (gates * units,)}
        if spec["cell"] == "gru":
            shapes["bn"] = (units,)
        return {f"{prefix}.{name}": shape for name, shape in shapes.items()}

    shapes = cell("big", spec["hidden"], spec["hidden"])
    for number, units in enumerate(spec.get("small", []), 1):
        if units:
            shapes.update(cell(f"small.{number}", units, units))
    if spec.get("small"):
        levels = 1 + len(spec["small"])
        shapes.update({"decision.w": (levels, spec["input"]), "decision.u": (levels, spec["hidden"]), "decision.b": (levels,)})
    return {name: random.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


def rows_for(count, width, seed=2):
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
