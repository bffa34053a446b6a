#!/usr/bin/env python3
"""fastText's Python package: fasttext_python.py FORM MODEL one|all, with a call for each text or one for all.

FORM is as in bench/texts/fasttext_worker.cpp, and gives the same bytes. Answers as described in bench/texts/serve.py.
"""
import pathlib
import string
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "texts"))
import serve  # noqa: E402

LABEL = "__label__"
LOWER = {ord(letter): letter.lower() for letter in string.ascii_uppercase}
APART = {**LOWER, **{ord(mark): f" {mark} " for mark in string.punctuation}}


def make_writer(form):
    if form == "raw":
        return lambda text: text
    table = {"lower": LOWER, "apart": APART}[form]
    return lambda text: text.translate(table)


def first_label(labels):
    return labels[0][len(LABEL):] if labels else "none"


def main(form, path, calls):
    import fasttext  # only the worker needs it
    fasttext.FastText.eprint = lambda message: None  # a warning at each load
    model, write = fasttext.load_model(path), make_writer(form)
    if calls == "one":
        serve.serve(lambda texts: [first_label(model.predict(write(text))[0]) for text in texts])
    else:
        serve.serve(lambda texts: [first_label(found) for found in model.predict([write(text) for text in texts])[0]])


if __name__ == "__main__":
    main(*sys.argv[1:])
