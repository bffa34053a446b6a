#!/usr/bin/env python3
"""Reads a file of labelled reviews (label, tab, text) with decreasing budgets.

usage: read_reviews.py [FILE.tsv] [--model FILE.skim] [--html PAGE.html]

In a notebook, a reading as the last line of a cell displays its text with the read words highlighted.
"""
import argparse
import pathlib
import sys

import skim

REVIEWS = pathlib.Path(__file__).parents[1] / "reviews/reviews.tsv"


def load(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t", 1)) for line in lines if "\t" in line]


def summary(reviews, readings):
    num_correct = sum(reading.label == label for (label, _), reading in zip(reviews, readings))
    skimmed = sum(reading.skim_rate for reading in readings) / len(readings)
    saved = sum(reading.flop_reduction["counted"] for reading in readings) / len(readings)
    return f"{num_correct} of {len(readings)} correct, {100 * skimmed:.1f} % skimmed, {saved:.1f}x less work"


def with_brackets(reading):
    """The text with brackets around the read words."""
    parts, at = [], 0
    for word in reading.words:
        parts += [reading.text[at:word.begin], f"[{word.text}]" if word.read else word.text]
        at = word.end
    return "".join(parts) + reading.text[at:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", default=REVIEWS, type=pathlib.Path)
    parser.add_argument("--model")
    parser.add_argument("--html", type=pathlib.Path)
    options = parser.parse_args()
    model = skim.Model.load(options.model)
    reviews = load(options.file)
    texts = [text for _, text in reviews]

    print("threshold 0.5")
    readings = model.read_many(texts)
    print(f"  {summary(reviews, readings)}")
    for budget in (0.5, 0.25, 0.15) if model.calibration else ():
        print(f"budget {budget:.0%}, threshold {model.threshold_for(budget):.3f}")
        print(f"  {summary(reviews, model.read_many(texts, budget=budget))}")

    first = readings[0]
    print(f"\n{with_brackets(first)}\n\n{first.label} {first.score:.1%}")
    if options.html:
        sections = "<hr>".join(reading._repr_html_() for reading in readings)
        options.html.write_text(f"<!doctype html><meta charset=utf-8><title>reviews</title>{sections}", encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except (skim.Error, OSError) as error:
        sys.exit(f"read_reviews: {error}")
