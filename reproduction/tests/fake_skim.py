#!/usr/bin/env python3
"""Stands in for skim: `train` writes a model in no time, `eval` and `sweep` print reports. Every call is appended to
calls.txt beside the model. A training whose folder holds a file named `stop` leaves a checkpoint and fails."""
import json
import pathlib
import sys

FLOPS = {"paper": 2.0, "counted": 4.0, "executed": 2.5}


def value(option):
    return sys.argv[sys.argv.index(option) + 1]


def train():
    out = pathlib.Path(value("--out"))
    checkpoint = out.with_name(out.name + ".checkpoint")
    if (out.parent / "stop").exists():
        checkpoint.mkdir(exist_ok=True)
        sys.exit(1)
    if "no-such-option" in " ".join(sys.argv):
        sys.exit(2)
    if checkpoint.exists():
        checkpoint.rmdir()
    out.write_text(" ".join(sys.argv[1:]))
    entry = {"step": 20, "dev_accuracy": 0.75, "dev_skim_rate": 0.25}
    pathlib.Path(value("--log")).write_text(json.dumps(entry) + "\nnot JSON\n")
    return {"steps": 20, "best_step": 20, "seconds": 1.5, "dev_accuracy": 0.75, "dev_skim_rate": 0.25}


def evaluate():
    timed = "--no-speed" not in sys.argv
    took = {"per_word": 1.0, "dense_per_word": 2.0, "tokenization_per_word": 0.1, "per_text_p50": 10.0,
            "per_text_p99": 20.0, "texts_timed": 3, "rounds": 7}
    return {"examples": 3, "accuracy": 0.9, "skim_rate": 0.5, "work": 0.25, "flop_reduction": FLOPS, "words": 30,
            "flops_per_word": 123.0, "speedup": 2.0 if timed else None, "reading_speedup": 2.1 if timed else None,
            "microseconds": took if timed else None, "threshold": 0.25 if "--budget" in sys.argv else 0.5,
            "machine": {"cpu": "a processor", "cores": 2, "simd": "AVX2"}, "version": "0"}


def sweep():
    return {"rows": [{"threshold": at, "accuracy": 0.9, "skim_rate": at, "work": 0.25, "flop_reduction": FLOPS}
                     for at in (0.0, 0.5, 1.0)]}


if __name__ == "__main__":
    verb = sys.argv[1]
    work = pathlib.Path(value("--out" if verb == "train" else "--model")).parent
    with open(work / "calls.txt", "a") as calls:
        calls.write(" ".join(sys.argv[1:]) + "\n")
    print(json.dumps({"train": train, "eval": evaluate, "sweep": sweep}[verb]()))
