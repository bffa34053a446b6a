#!/usr/bin/env python3
"""TF-IDF with logistic regression, in scikit-learn:
    tfidf.py train PARTS     reads settings as JSON lines, prints the dev accuracy of each
    tfidf.py serve MODEL one|all     answers as described in serve.py, with a call for each text or one for all
PARTS is a JSON object of file names: train, dev, and phrases (or null). A setting with "save" is saved there.
"""
import json
import pickle
import sys

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import serve

# `words` is the default of scikit-learn: runs of two letters and more. `all` also takes single
# letters and punctuation.
PATTERNS = {"words": r"(?u)\b\w\w+\b", "all": r"(?u)\w+|[^\w\s]"}


def load(*paths):
    lines = [line.split("\t", 1) for path in paths if path for line in serve.load_lines(path)]
    return [text for _, text in lines], [label for label, _ in lines]


class Trainer:
    def __init__(self, parts):
        self.parts = parts
        self.dev, self.dev_labels = load(parts["dev"])
        self.made_for = None

    def vectorize(self, setting):
        """Counting the n-grams takes longer than fitting, so it is done once for all strengths of the penalty."""
        made_for = (setting["tokens"], setting["min_df"], setting["phrases"])
        if made_for == self.made_for:
            return
        texts, self.labels = load(self.parts["train"], self.parts["phrases"] if setting["phrases"] else None)
        self.vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=setting["min_df"],
                                          token_pattern=PATTERNS[setting["tokens"]])
        self.rows = self.vectorizer.fit_transform(texts)
        self.dev_rows = self.vectorizer.transform(self.dev)
        self.made_for = made_for

    def score(self, setting):
        self.vectorize(setting)
        model = LogisticRegression(C=setting["strength"], solver="liblinear", random_state=1)
        model.fit(self.rows, self.labels)
        if "save" in setting:
            with open(setting["save"], "wb") as file:
                pickle.dump(make_pipeline(self.vectorizer, model), file)
        return model.score(self.dev_rows, self.dev_labels)


def train(parts):
    trainer = Trainer(json.loads(parts))
    for line in sys.stdin:
        print(trainer.score(json.loads(line)), flush=True)


def answer_with(path, calls):
    # Our own file, from the folder that was just prepared: unpickling a stranger's would run his code.
    with open(path, "rb") as file:
        model = pickle.load(file)
    if calls == "all":
        serve.serve(model.predict)
    else:
        serve.serve(lambda texts: [model.predict([text])[0] for text in texts])


if __name__ == "__main__":
    {"train": train, "serve": answer_with}[sys.argv[1]](*sys.argv[2:])
