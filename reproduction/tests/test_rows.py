"""Rows and data sets: what is loaded, and what is rejected."""
from skimlab.rows import load_rows, option_arguments
from support import LabTest


class Loading(LabTest):
    def test_options_of_the_row_override_those_of_the_data_set(self):
        rows = self.rows()
        self.assertEqual(list(rows.rows), ["a"])
        self.assertEqual(rows.rows["a"].options, {"batch-size": 16, "pooling": "max"})
        self.assertEqual(rows.set_of(rows.rows["a"]).title, "Tiny")

    def test_flags_stand_alone_and_false_ones_are_left_out(self):
        options = {"gamma": 0.01, "bidirectional": True, "other": False, "skim-size": "20,5", "teacher": "a"}
        self.assertEqual(option_arguments(options), ["--gamma", "0.01", "--bidirectional", "--skim-size", "20,5"])

    def test_a_missing_folder_is_named(self):
        self.assertFails(lambda: load_rows(self.folder / "nowhere"), "nowhere", "--rows DIR")


class Rejection(LabTest):
    def check(self, *says, **fields):
        self.put_row("a", **fields)
        self.assertFails(self.rows, *says)

    def test_a_bad_field_is_named_with_its_file(self):
        self.check("a.json", "seeds", seeds=[])
        self.check("a.json", "sets/huge.json", set="huge")
        self.check("gama", gama=1)
        self.check("train.out", train={"out": "x"})
        self.check("train.gamma", train={"gamma": [1]})
        self.check("budgets", budgets=[2])
        self.check("paper.speed", paper={"speed": 2})
        self.put("rows/a.json", "[]")
        self.assertFails(self.rows, "a.json", "expected a JSON object, got an array")
        self.put("rows/a.json", "{")
        self.assertFails(self.rows, "a.json", "is not JSON")

    def test_a_named_row_must_exist(self):
        self.check("a.json: row.train.teacher: expected the name of another row", train={"teacher": "b"})

    def test_a_row_cannot_build_on_itself(self):
        self.check("row.train.teacher: a would build on itself", train={"teacher": "a"})
        self.check("row.train.start-from: a would build on itself", train={"start-from": "a"})
        self.put_row("b", train={"teacher": "a"})
        self.check("would build on itself", train={"start-from": "b"})

    def test_a_start_needs_the_same_seed(self):
        self.put_row("b", seeds=[7], train={"start-from": "a"})
        self.assertFails(self.rows, "b.json: row.train.start-from: a has no seed 7")

    def test_a_teacher_is_on_the_same_data(self):
        self.put_row("b", set="other", train={"teacher": "a"})
        self.assertFails(self.rows, "b.json: row.train.teacher: a is not on the same data")
