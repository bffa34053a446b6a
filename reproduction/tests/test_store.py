"""Recipes and stored results."""
import copy
import dataclasses
import pathlib

from skimlab.recipe import Recipe
from skimlab.rows import load_rows
from skimlab.store import find_run, load_result, locked, store_run
from support import LabTest, stored_run

HOME = pathlib.Path(__file__).resolve().parents[1]


class Recipes(LabTest):
    def test_changed_data_make_another_recipe(self):
        before = self.recipe()
        self.put("train.tsv", "x\tanother word\n")
        self.assertNotEqual(self.recipe().digest(), before.digest())

    def test_the_order_of_options_makes_no_difference(self):
        recipe = self.recipe()
        turned = dataclasses.replace(recipe, options=dict(reversed(recipe.options.items())))
        self.assertEqual(turned.digest(), recipe.digest())

    def test_a_run_starts_from_the_same_seed_and_on_other_data_from_the_first(self):
        self.put_row("b", seeds=[2], train={"start-from": "a"})
        self.put_row("c", set="other", seeds=[2, 7], train={"start-from": "a"})
        self.assertEqual([self.recipe(seed, name).start[0].seed for name, seed in (("b", 2), ("c", 2), ("c", 7))],
                         [2, 1, 1])
        self.assertEqual(self.recipe(2, "b").data["a seed 2"], self.recipe(2).digest())

    def test_another_teacher_makes_another_run(self):
        self.put_row("distilled", train={"teacher": "a"})
        before = self.recipe(1, "distilled")
        self.assertEqual(len(before.teachers), 2)
        self.put_row("a", seeds=[1, 2], train={"gamma": 9})
        self.assertNotEqual(self.recipe(1, "distilled").digest(), before.digest())

    def test_a_missing_data_file_is_named(self):
        (self.folder / "dev.tsv").unlink()
        self.assertFails(self.recipe, "dev.tsv", "--data")


class Store(LabTest):
    def store(self, run):
        store_run(self.folder / "results", self.row(), run, self.folder / "lock")

    def result(self):
        return load_result(self.folder / "results", self.row())

    def test_finds_a_run_by_its_recipe(self):
        self.store(stored_run(self.recipe(2)))
        self.store(stored_run(self.recipe(1), 0.25))
        self.assertEqual(find_run(self.result(), self.recipe(1))["test"]["accuracy"], 0.25)
        self.assertIsNone(find_run(self.result(), self.recipe(3)))
        self.assertEqual([run["seed"] for run in self.result()["runs"]], [1, 2], "seeds are in order")

    def test_changed_options_or_data_make_another_run(self):
        before = self.recipe()
        self.store(stored_run(before))
        other = dataclasses.replace(before, options=before.options | {"batch-size": 17})
        self.assertIsNone(find_run(self.result(), other))
        self.assertNotEqual(other.digest(), before.digest())
        self.put("train.tsv", "x\tanother word\n")
        self.assertIsNone(find_run(self.result(), self.recipe()))

    def test_a_new_run_replaces_that_of_its_seed(self):
        self.store(stored_run(self.recipe()))
        self.store(stored_run(self.recipe(), 0.75))
        self.assertEqual([run["test"]["accuracy"] for run in self.result()["runs"]], [0.75])

    def test_a_damaged_result_is_an_error_and_stays(self):
        self.put("results/a.json", '{"runs": [{}]}')
        self.assertFails(self.result, "a.json")
        self.assertFails(lambda: self.store(stored_run(self.recipe())), "a.json")
        self.assertEqual((self.folder / "results/a.json").read_text(), '{"runs": [{}]}')

    def test_any_missing_field_of_a_run_is_an_error_that_names_it(self):
        run = stored_run(self.recipe())
        self.put("results/a.json", {"row": "a", "runs": [run]})
        self.assertEqual(len(self.result()["runs"]), 1)
        for path in field_paths(run):
            broken = copy.deepcopy(run)
            holder = broken
            for key in path[:-1]:
                holder = holder[key]
            del holder[path[-1]]
            self.put("results/a.json", {"row": "a", "runs": [broken]})
            with self.subTest(path):
                self.assertFails(self.result, "a.json", str(path[-1]))

    def test_a_lock_is_held_by_one_and_freed_in_the_end(self):
        with locked(self.folder / "lock", wait=False) as first:
            with locked(self.folder / "lock", wait=False) as second:
                self.assertEqual((first, second), (True, False))
        with locked(self.folder / "lock", wait=False) as third:
            self.assertTrue(third)


def field_paths(value, path=()):
    """Paths of the fields that must be there; options, data and lists as a whole may lack anything."""
    if path and path[-1] in ("options", "data"):
        return
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        if isinstance(inner, (dict, list)):
            yield from field_paths(inner, (*path, key))
        elif (*path, key) != ("thresholds", 0, "threshold"):
            yield (*path, key)


class StoredResults(LabTest):
    """The repository's own rows and results."""

    def test_every_stored_run_belongs_to_its_row_as_it_is(self):
        rows = load_rows(HOME)
        self.assertEqual({path.stem for path in (HOME / "results").glob("*.json")}, set(rows.rows))
        for row in rows.rows.values():
            runs = load_result(HOME / "results", row)["runs"]
            self.assertEqual([run["seed"] for run in runs], row.seeds, row.name)
            for run in runs:
                self.assertEqual(run["options"], row.options, row.name)
                self.assertLessEqual(set(rows.set_of(row).files()), set(run["data"]), row.name)
                self.check_needed(rows, row, run)

    def check_needed(self, rows, row, run):
        """The digests of the runs that a run builds on are those of the stored runs."""
        for key, digest in run["data"].items():
            name, _, seed = key.partition(" seed ")
            if not seed:
                continue
            stored = load_result(HOME / "results", rows.rows[name])["runs"]
            needed = next(one for one in stored if one["seed"] == int(seed))
            recipe = Recipe(needed["options"], needed["seed"], needed["data"], [], [])
            self.assertEqual(recipe.digest(), digest, row.name)
