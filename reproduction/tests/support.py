"""What the tests share: a folder with a small set of rows, and a stored run."""
import json
import pathlib
import tempfile
import unittest

from skimlab.errors import LabError
from skimlab.recipe import Checksums, make_recipe
from skimlab.rows import load_rows

TINY = {"title": "Tiny", "train": ["train.tsv"], "dev": "dev.tsv", "test": "test.tsv",
        "options": {"batch-size": 8, "pooling": "max"}}


class LabTest(unittest.TestCase):
    """A folder with the data sets `tiny` and `other`, their files, and the row `a`."""
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="skimlab-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("tiny", "other"):
            self.put(f"sets/{name}.json", TINY)
        self.put_row("a", seeds=[1, 2], train={"batch-size": 16})
        for file in ("train.tsv", "dev.tsv", "test.tsv"):
            self.put(file, "x\tone word\n")

    def put(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")

    def put_row(self, name, **fields):
        self.put(f"rows/{name}.json", {"title": name.upper(), "set": "tiny", "seeds": [1]} | fields)

    def rows(self):
        return load_rows(self.folder)

    def row(self, name="a"):
        return self.rows().rows[name]

    def recipe(self, seed=1, name="a"):
        rows = self.rows()
        return make_recipe(rows, rows.rows[name], seed, Checksums(self.folder))

    def assertFails(self, action, *says):
        with self.assertRaises(LabError) as caught:
            action()
        for words in says:
            self.assertIn(words, str(caught.exception))


def stored_run(recipe, accuracy=0.5):
    """A run with every field that tables and figures rely on."""
    return {"seed": recipe.seed, "options": recipe.options, "data": recipe.data, "commit": "abc", "date": "2020-02-02",
            "machine": {"cpu": "a processor", "cores": 2, "simd": "AVX2"}, "training": {"steps": 10, "seconds": 90.0},
            "dev": {"accuracy": 0.5, "evaluations": [{"step": 500, "accuracy": 0.5, "skim_rate": 0.5}]},
            "test": {"accuracy": accuracy, "skim_rate": 0.5, "passes": [{"reader": "0.forward", "skim_rate": 0.5}]},
            "budgets": [{"budget": 0.5, "work": 0.5, "accuracy": 0.5, "skim_rate": 0.5}],
            "thresholds": [{"threshold": 0.5, "accuracy": 0.5, "flop_reduction": {"counted": 2.0}}]}
