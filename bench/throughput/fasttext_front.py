"""fastText from its smallest to its largest models: one model for each architecture, learning rate and epochs chosen on
dev. Everything is kept in the work folder, so that a measurement trains nothing."""
import resource
import sys

import programs
from fasttext_peer import GLOVE, FastText
from search import Enough, Record, climb
from sets import sha256

TITLE = "fastText"
DIMENSIONS = [4, 8, 16, 32, 50, 100]
BUCKETS = [100_000, 500_000, 2_000_000]
FORMS = ["apart", "lower", "raw"]
RATES = {"rate": [0.02, 0.05, 0.1, 0.3, 0.6, 1.0], "epochs": [2, 5, 10, 20, 40]}
START = {"text": "apart", "ngrams": 2, "vectors": 16, "buckets": 500_000, "rate": 0.3, "epochs": 10}
AXES = [(16, 1), (16, 2, 500_000), (4, 2, 100_000), (8, 2, 500_000), (4, 1), (32, 2, 500_000), (16, 2, 100_000),
        (16, 3, 500_000), (100, 2, 500_000), (16, 2, 2_000_000), (8, 1), (8, 2, 100_000)]
LINE = 64  # bytes of a cache line


def architectures():
    """Embedding size, n-grams and buckets. First along each axis, then the others from the cheapest on."""
    grid = [(size, 1) for size in DIMENSIONS] + [(size, ngrams, buckets) for size in DIMENSIONS for ngrams in (2, 3)
                                                 for buckets in BUCKETS]
    rest = sorted((one for one in grid if one not in AXES), key=lambda one: one[0] * one[1])
    return [architecture(*one) for one in AXES + rest]


def architecture(size, ngrams, buckets=None):
    # Without n-grams nothing is hashed.
    return {"vectors": size, "ngrams": ngrams, **({"buckets": buckets} if buckets else {})}


def training(setting):
    return {name: setting[name] for name in ("text", "rate", "epochs")}


def name_of(setting):
    """Of the model: settings that differ in how they were trained share it."""
    parts = [f"dim {setting['vectors']}", f"{setting['ngrams']}-grams"]
    if "buckets" in setting:
        parts.append(f"{setting['buckets'] // 1000}k")
    return ", ".join([*parts, setting["text"]])


def cost(setting):
    """What a text costs, roughly: cache lines per word, dearer where the table is larger than a cache."""
    width = 100 if setting["vectors"] == GLOVE else setting["vectors"]
    lines = -(-4 * width // LINE)
    table = 4 * width * (setting.get("buckets", 0) + 30_000)
    distance = 1 if table < 1 << 20 else 2 if table < 32 << 20 else 5
    return FORMS[::-1].index(setting["text"]) + setting["ngrams"] * (lines + distance)


def peel(candidates, count):
    """Up to `count` of (cost, score, item): those on the Pareto front, then those on the front of the rest, and so on."""
    left, chosen = sorted(candidates, key=lambda one: (one[0], -one[1])), []
    while left and len(chosen) < count:
        front, height = [], -1.0
        for one in left:
            if one[1] > height:
                front.append(one)
                height = one[1]
        # Of the last front the most accurate ones fit.
        chosen += sorted(front, key=lambda one: -one[1])
        left = [one for one in left if one not in front]
    return [item for _, _, item in chosen[:count]]


def children_seconds():
    """Processor time, so that a paused or crowded machine does not shorten the search."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class FastTextFront(FastText):
    def __init__(self, data_set, work, vectors, phrases=True):
        super().__init__(data_set, work, vectors, phrases)
        basis = {**data_set.sums(("train", "dev")), "phrases": self.phrases,
                 "vectors": sha256(vectors) if vectors else None}
        self.record = Record(self.folder / "fasttext-front.json", f"{data_set.name}: {TITLE}", basis)

    def prepare(self, max_seconds):
        worker = programs.fasttext_worker(self.work)
        score = self.record.scored(lambda setting: self.train_and_keep(worker, setting, max_seconds), sys.maxsize)
        try:
            self.search(lambda setting: score({**setting, "phrases": self.phrases}))
        except Enough:
            print(f"{self.record.title}: {max_seconds / 60:.0f} minutes are over, not all is tried", file=sys.stderr)

    def train_and_keep(self, worker, setting, max_seconds):
        """The model of an architecture is replaced when a better one is found."""
        content = self.record.content
        if content.setdefault("seconds", 0) >= max_seconds:
            raise Enough
        begin, name = children_seconds(), name_of(setting)
        fresh = self.model(name).with_suffix(".new")
        found = self.train(worker, setting, fresh)
        content["seconds"] += children_seconds() - begin
        known = self.record.chosen().get(name)
        if known and self.dev_score(known) >= found:
            fresh.unlink()
        else:
            fresh.replace(self.model(name))
            self.record.content["chosen"][name] = setting
        return found

    def search(self, score):
        best = {**START, "text": max(FORMS, key=lambda form: score({**START, "text": form}))}
        best = climb(RATES, best, score)
        # Without n-grams other rates are best.
        unigrams = climb(RATES, {**training(best), **architecture(16, 1)}, score)
        for number, shape in enumerate(architectures()):
            if number == len(AXES):
                self.search_glove(best["text"], score)
            score({**training(unigrams if shape["ngrams"] == 1 else best), **shape})
        self.search_glove(best["text"], lambda start: climb(RATES, start, score))

    def search_glove(self, text, explore):
        """Calls `explore` with settings that begin with GloVe, which is in lower case."""
        if self.vectors:
            for ngrams in ({"ngrams": 1}, {"ngrams": 2, "buckets": 500_000}):
                explore({"text": "lower" if text == "raw" else text, **ngrams, "vectors": GLOVE, "rate": 0.1, "epochs": 5})

    def model(self, name):
        return self.folder / f"fasttext {name}.bin".replace(", ", " ").replace(" ", "-")

    def dev_score(self, setting):
        return next(found for one, found in self.record.tried() if one == setting)

    def settings(self, count):
        """Name to setting of up to `count` models: the front of dev accuracy against cost, then what is behind it."""
        chosen = {name: setting for name, setting in self.record.chosen().items() if self.model(name).exists()}
        if not chosen:
            raise programs.Missing("not prepared for this data; run the step prepare first")
        names = peel([(cost(setting), self.dev_score(setting), name) for name, setting in chosen.items()], count)
        return {name: chosen[name] for name in names}
