"""TF-IDF with logistic regression: hyperparameters are selected on dev; tfidf.py trains and predicts."""
import json
import subprocess
import sys

import programs
from search import Enough, Record, climb

TITLE = "TF-IDF, logistic regression"
GRID = {"strength": [0.3, 1, 3, 10, 30, 100, 300], "phrases": [False, True], "min_df": [1, 2], "tokens": ["words", "all"]}
START = {"strength": 10, "phrases": True, "min_df": 1, "tokens": "words"}
SCRIPT = programs.HERE / "tfidf.py"


class TfIdf:
    def __init__(self, data_set, work, phrases=True):
        self.set = data_set
        self.folder = work / data_set.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.phrases = phrases and data_set.phrases is not None
        basis = {**data_set.sums(("train", "dev")), "phrases": self.phrases}
        self.record = Record(self.folder / "tfidf.json", f"{data_set.name}: {TITLE}", basis)
        self.model = self.folder / "tfidf.pickle"

    def prepare(self, max_settings):
        parts = {"train": str(self.set.path("train")), "dev": str(self.set.path("dev")),
                 "phrases": str(self.set.phrases) if self.phrases else None}
        command = [programs.python_with("sklearn"), str(SCRIPT), "train", json.dumps(parts)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                              env=programs.one_thread()) as process:
            self.search(lambda setting: ask(process, setting), max_settings)
            process.stdin.close()

    def search(self, train, max_settings):
        grid = dict(GRID)
        if not self.phrases:
            del grid["phrases"]
        try:
            climb(grid, {**START, "phrases": self.phrases}, self.record.scored(train, max_settings))
        except Enough:
            print(f"{self.record.title}: {max_settings} settings tried, not all that could be", file=sys.stderr)
        best = self.record.tried()[0][0]
        if self.record.chosen().get("best") != best or not self.model.exists():
            # Writes to a temporary name first, so that an existing model is always complete.
            fresh = self.model.with_suffix(".new")
            train({**best, "save": str(fresh)})
            fresh.replace(self.model)
            self.record.choose("best", best)

    def rows(self):
        best = self.record.chosen().get("best")
        if not best or not self.model.exists():
            raise programs.Missing("not prepared for this data; run the step prepare first")
        python = programs.python_with("sklearn")
        for name, calls in ((f"{TITLE}, one text per call", "one"), (f"{TITLE}, all in one call", "all")):
            yield name, best, self.model, [python, SCRIPT, "serve", self.model, calls]


def ask(process, setting):
    process.stdin.write(json.dumps(setting) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise programs.Missing(f"scikit-learn stopped at {setting}; see its message above")
    return float(answer)
