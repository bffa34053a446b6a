"""fastText: hyperparameters are selected on dev; the library trains the model."""
import random
import subprocess
import sys

import programs
from search import Enough, Record, climb, setting_key
from sets import sha256, write_lines

TITLE = "fastText"
# Dimensions, or "glove": 100 with the pretrained vectors.
GLOVE = "glove"
GRID = {"text": ["raw", "lower", "apart"], "ngrams": [1, 2], "phrases": [False, True],
        "rate": [0.02, 0.05, 0.1, 0.25, 0.5, 1.0], "epochs": [1, 2, 5, 10, 20, 40], "vectors": [10, 50, 100]}
START = {"text": "apart", "ngrams": 2, "phrases": True, "rate": 0.25, "epochs": 10, "vectors": 10}
# How much of dev the quick setting may lose against the best one.
QUICK_LOSS = 0.01


class FastText:
    def __init__(self, data_set, work, vectors, phrases=True):
        """`vectors` is a GloVe text file or None; `phrases` whether phrases may be trained on at all."""
        self.set, self.vectors, self.work = data_set, vectors, work
        self.folder = work / data_set.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.phrases = phrases and data_set.phrases is not None
        basis = {**data_set.sums(("train", "dev")), "phrases": self.phrases,
                 "vectors": sha256(vectors) if vectors else None}
        self.record = Record(self.folder / "fasttext.json", f"{data_set.name}: {TITLE}", basis)

    def prepare(self, max_settings):
        worker = programs.fasttext_worker(self.work)
        try:
            self.search(self.record.scored(lambda setting: self.train(worker, setting), max_settings))
        except Enough:
            print(f"{self.record.title}: {max_settings} settings tried, not all that could be", file=sys.stderr)
        self.keep(worker, "best", self.record.tried()[0][0])
        self.keep(worker, "quick", quickest(self.record.tried()))

    def search(self, score):
        grid = dict(GRID)
        if not self.phrases:
            del grid["phrases"]
        best = climb(grid, {**START, "phrases": self.phrases}, score)
        if self.vectors:
            del grid["vectors"]
            climb(grid, {**best, "vectors": GLOVE}, score)

    def keep(self, worker, name, setting):
        """Trains again to save the model: the search saves none, because a model may take a gigabyte."""
        model = self.model(name)
        if self.record.chosen().get(name) == setting and model.exists():
            return
        # Writes to a temporary name first, so that an existing model is always complete.
        fresh = model.with_suffix(".new")
        self.train(worker, setting, fresh)
        fresh.replace(model)
        self.record.choose(name, setting)

    def model(self, name):
        return self.folder / f"fasttext-{name}.bin"

    def train(self, worker, setting, model="-"):
        train = self.converted(worker, "train", setting)
        dev = self.converted(worker, "dev", {"text": setting["text"], "phrases": False})
        options = ["-input", train, "-wordNgrams", setting["ngrams"], "-lr", setting["rate"], "-epoch", setting["epochs"]]
        if "buckets" in setting:
            options += ["-bucket", setting["buckets"]]
        if setting["vectors"] == GLOVE:
            options += ["-dim", 100, "-pretrainedVectors", self.vectors_with_header()]
        else:
            options += ["-dim", setting["vectors"]]
        done = subprocess.run([str(part) for part in (worker, "train", dev, model, *options)], capture_output=True,
                              text=True)
        if done.returncode:
            raise programs.Missing(f"training stopped with code {done.returncode}: {done.stderr.strip() or 'no message'}")
        return float(done.stdout)

    def converted(self, worker, part, setting):
        name = f"{part}{'-phrases' if setting['phrases'] else ''}"
        path = self.folder / f"{name}-{setting['text']}.txt"
        source = self.folder / f"{name}.tsv"
        if programs.is_newer(path, [self.set.path(part)]):
            return path
        lines = self.set.lines(part, setting["phrases"])
        # It learns from one line after the other, with a falling rate: sorted by label, it would learn the last label.
        random.Random(1).shuffle(lines)
        write_lines(source, lines)
        with open(source, "rb") as before, open(path, "wb") as after:
            subprocess.run([worker, "convert", setting["text"]], stdin=before, stdout=after, check=True)
        source.unlink()
        return path

    def vectors_with_header(self):
        """fastText wants a first line with the number of words and their width."""
        path = self.work / "vectors.vec"
        if not programs.is_newer(path, [self.vectors]):
            text = self.vectors.read_text(encoding="utf-8")
            width = len(text.split("\n", 1)[0].split(" ")) - 1
            path.write_text(f"{text.count(chr(10))} {width}\n{text}", encoding="utf-8")
        return path

    def rows(self):
        """Name, setting, model, command of each chosen setting; nothing twice."""
        chosen = self.record.chosen()
        if not all(name in chosen and self.model(name).exists() for name in ("best", "quick")):
            raise programs.Missing("not prepared for this data; run the step prepare first")
        names = ["best"] + (["quick"] if setting_key(chosen["quick"]) != setting_key(chosen["best"]) else [])
        worker = programs.fasttext_worker(self.work)
        for name in names:
            yield (TITLE if name == "best" else f"{TITLE}, quick", chosen[name], self.model(name),
                   [worker, "serve", chosen[name]["text"], self.model(name)])


def cost(setting):
    """What a text costs, roughly: numbers added up for each word."""
    width = 100 if setting["vectors"] == GLOVE else setting["vectors"]
    return width * setting["ngrams"]


def quickest(tried):
    """The cheapest of the settings that are nearly as good as the best; of equally cheap ones the best."""
    # Best first, and min takes the first of equals.
    enough = tried[0][1] - QUICK_LOSS
    return min((setting for setting, score in tried if score >= enough), key=cost)
