"""Shared by the tests: programs, models and texts."""
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

# Characters of one to four bytes, punctuation that the tokenizer splits off, and unusual spaces.
ODD_ENDINGS = ["", " A naïve café, don't you think?", " 日本の映画 10/10 🙂🙂", "\u00a0– “so-so” … n't", " e\u0301te\u0301 \u2028x"]

QUESTION = "Who is the guard of Velmora?"
CHOICES = ["Tobin", "a naïve 🙂 guard", "nobody", "Tobin"]


@contextlib.contextmanager
def prepared():
    """Creates a temporary folder with planted models, random question answering models and 1,000 texts."""
    global FOLDER
    with tempfile.TemporaryDirectory(prefix="skim-python-") as name:
        FOLDER = pathlib.Path(name)
        planted = [os.environ["SKIM_MAKE_DATA"], "--vocab-size", "2000"]
        for file, options in (("planted", []), ("both", ["--bidirectional", "yes", "--num-layers", "2"]),
                              ("levels", ["--cell", "gru", "--skim-size", "20,0", "--weights", "int8",
                                          "--pooling", "max"]),
                              ("unicode", ["--tokenizer", "unicode"]),
                              ("multilabel", ["--output", "sigmoid"]), ("number", ["--output", "linear"])):
            subprocess.run([*planted, "--model", FOLDER / f"{file}.skim", *options], check=True)
        subprocess.run([*planted, "--seeds", FOLDER], check=True)
        subprocess.run([os.environ["SKIM_MAKE_DATA"], "planted", "--into", FOLDER, "--train", "1000", "--dev", "1", "--test",
                        "1", "--seed", "5"], check=True)
        yield


@functools.lru_cache(maxsize=None)
def model(name):
    """The built-in model, or one of those in the folder."""
    return skim.Model.load(None if name == "default" else FOLDER / f"{name}.skim")


def model_path(name):
    return skim._model.built_in_path() if name == "default" else FOLDER / f"{name}.skim"


@functools.lru_cache(maxsize=None)
def texts():
    """1,000 synthetic texts, some with multi-byte characters."""
    lines = (FOLDER / "train.tsv").read_text(encoding="utf-8").splitlines()
    made = [line.split("\t")[1] + ODD_ENDINGS[i % len(ODD_ENDINGS)] for i, line in enumerate(lines)]
    assert len(made) == 1000
    return made


def run_skim(*arguments, text=""):
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text.encode(), capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def run_json(name, queries, *options):
    """The output of `skim run --json --words`, one dict per query."""
    lines = "".join(json.dumps(query) + "\n" for query in queries)
    output = run_skim("run", "--model", model_path(name), "--input", "json", "--json", "--words", *options, text=lines)
    return [json.loads(line) for line in output.splitlines()]


def tensors_for(spec, seed=1):
    """Random weights for a dense or skimming reader with linear decisions."""
    random = np.random.default_rng(seed)
    gates = {"lstm": 4, "gru": 3, "rnn": 1}[spec["cell"]]

    def cell(prefix, units, state_size):
        rows = gates * units
        shapes = {"weight_ih": (rows, spec["input_size"]), "weight_hh": (rows, state_size), "bias": (rows,)}
        if spec["cell"] == "gru":
            shapes["bias_hn"] = (units,)
        return {f"{prefix}.{name}": shape for name, shape in shapes.items()}

    shapes = cell("big", spec["hidden_size"], spec["hidden_size"])
    for number, units in enumerate(spec.get("skim_sizes", []), 1):
        if units:
            shapes.update(cell(f"small.{number}", units, units))
    if spec.get("skim_sizes"):
        levels = 1 + len(spec["skim_sizes"])
        shapes.update({"decision.weight_ih": (levels, spec["input_size"]),
                       "decision.weight_hh": (levels, spec["hidden_size"]), "decision.bias": (levels,)})
    return {name: random.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}


def rows_for(count, width, seed=2):
    return np.random.default_rng(seed).normal(size=(count, width)).astype(np.float32)
