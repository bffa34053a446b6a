"""Tests of bench/texts/run --self-test: the parts that need no peer, no data and no model."""
import argparse
import importlib
import io
import json
import pathlib
import struct
import tempfile
import unittest
from contextlib import redirect_stderr

import fasttext_peer
import measure
import report
import skim_option
import words
from search import Enough, Record, climb
from sets import Fault, Set, spread
from skim_file import ModelFile


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="skim-texts-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)


class Options(unittest.TestCase):
    parse = staticmethod(skim_option.parse_skim)

    def test_parses_budget_and_threshold(self):
        self.assertEqual(self.parse("a=m.skim").policy, [])
        self.assertEqual(self.parse("a=m.skim@0.3").policy, ["budget", "0.3"])
        self.assertEqual(self.parse("a=m.skim@threshold=0.5").policy, ["threshold", "0.5"])

    def test_a_list_of_policies_gives_a_model_for_each(self):
        found = skim_option.parse_skim_list("a=m.skim@0.1,threshold=0.5")
        self.assertEqual([(one.name, one.policy) for one in found],
                         [("a, budget 0.1", ["budget", "0.1"]), ("a, threshold 0.5", ["threshold", "0.5"])])
        self.assertEqual([one.name for one in skim_option.parse_skim_list("a=m.skim")], ["a"])

    def test_replaces_set_in_file_names(self):
        self.assertEqual(self.parse("a=models/{set}.skim@0.3").path("rt"), pathlib.Path("models/rt.skim"))

    def test_rejects_malformed_options(self):
        for word in ("m.skim", "=m.skim", "a=", "a=m.skim@2", "a=m.skim@half", "a=m.skim@speed=0.5"):
            with self.subTest(word), self.assertRaises(argparse.ArgumentTypeError):
                self.parse(word)


class Search(InFolder):
    GRID = {"x": list(range(10)), "y": list(range(10))}

    def test_climb_finds_the_maximum_of_a_unimodal_function(self):
        top = climb(self.GRID, {"x": 0, "y": 9}, lambda at: -abs(at["x"] - 7) - abs(at["y"] - 2))
        self.assertEqual(top, {"x": 7, "y": 2})

    def record(self, basis):
        return Record(self.folder / "record.json", "peer", basis)

    def score(self, record, asked, max_settings=10):
        def evaluate(setting):
            asked.append(setting)
            return setting["x"] / 10

        with redirect_stderr(io.StringIO()):
            return record.scored(evaluate, max_settings)({"x": 5, "y": 1})

    def test_settings_are_not_tried_again_after_a_restart(self):
        asked = []
        for _ in range(2):
            self.assertEqual(self.score(self.record("same"), asked), 0.5)
        self.assertEqual(len(asked), 1)

    def test_search_stops_at_the_limit(self):
        with self.assertRaises(Enough):
            self.score(self.record("same"), [], max_settings=0)

    def test_search_restarts_when_the_data_changed(self):
        asked = []
        for basis in ("one", "other"):
            self.score(self.record(basis), asked)
        self.assertEqual(len(asked), 2)

    def test_quick_setting_is_the_cheapest_within_tolerance(self):
        def setting(vectors, ngrams):
            return {"vectors": vectors, "ngrams": ngrams, "text": "raw"}

        tried = [(setting(100, 2), 0.900), (setting(10, 2), 0.897), (setting(10, 1), 0.880)]
        self.assertEqual(fasttext_peer.quickest(tried), setting(10, 2))


class Data(InFolder):
    def write(self, **parts):
        (self.folder / "toy").mkdir()
        for part, text in parts.items():
            (self.folder / "toy" / f"{part}.tsv").write_text(text, encoding="utf-8")

    def test_only_newlines_separate_texts(self):
        self.write(train="1\ta\u2028b\n0\tc\x85d\n", dev="1\ta\n", test="0\ta\tb\n")
        data = Set(self.folder, "toy")
        self.assertEqual(data.texts("train"), ["a\u2028b", "c\x85d"])
        self.assertEqual((data.labels("test"), data.texts("test")), (["0"], ["a\tb"]))

    def test_reports_a_missing_file(self):
        self.write(train="1\ta\n", dev="1\ta\n")
        with self.assertRaisesRegex(Fault, "test.tsv is missing"):
            Set(self.folder, "toy")

    def test_reports_a_line_without_a_label(self):
        self.write(train="1\ta\nno tab\n", dev="1\ta\n", test="1\ta\n")
        with self.assertRaisesRegex(Fault, "line 2"):
            Set(self.folder, "toy").lines("train")

    def test_spread_is_even(self):
        self.assertEqual(spread([1, 2, 3], 5), [1, 2, 3])
        self.assertEqual(spread(list(range(10)), 5), [0, 2, 4, 6, 8])


class Words(unittest.TestCase):
    def test_tokenization_matches_skim(self):
        for text, cut in (("Don't, it's 3.5!", "do n't , it 's 3.5 !"), ("low-budget -- so...", "low - budget -- so ..."),
                          ("Mr. O'Brien of the U.S. can\u2019t", "mr. o'brien of the u.s. ca n't"),
                          ("10/10 a_b ``so''", "10 / 10 a _ b `` so ''")):
            self.assertEqual(words.split_words(text), cut.split())

    def test_unknown_words_are_zero_and_long_ellipses_are_three_dots(self):
        self.assertEqual(words.lookup(["", "a", "..."])("A zebra ....."), [1, 0, 2])


class Answers(unittest.TestCase):
    def test_integer_labels_index_the_model_labels(self):
        self.assertEqual(measure.resolve("1", ["bad", "good"]), "good")
        self.assertEqual(measure.resolve("1", ["1", "0"]), "1")
        with self.assertRaises(Fault):
            measure.resolve("2", ["bad", "good"])

    def test_table_has_one_line_per_row(self):
        row = {"name": "a", "dev_accuracy": 0.5, "test_accuracy": 0.25, "microseconds": measure.summary([3.0, 1.0, 2.0]),
               "times": {"a": 1.0}, "load_seconds": 0.1, "model_bytes": 1000000}
        lines = list(report.table("toy", [row]))
        self.assertEqual(lines[4], "| a | 50.00 | 25.00 | 2.0 | 1.5 to 2.5 | 1.00 | 0.1 | 1.0 |")


class ModelFiles(InFolder):
    def test_reads_vocabulary_and_spec(self):
        spec = {"vocab_size": 2, "labels": ["bad", "good"]}
        header = json.dumps({"__metadata__": {"spec": json.dumps(spec)},
                             "vocab.ends": {"dtype": "U32", "shape": [2], "data_offsets": [0, 8]},
                             "vocab.text": {"dtype": "U8", "shape": [3], "data_offsets": [8, 11]}}).encode()
        path = self.folder / "m.skim"
        path.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack("<2I", 0, 3) + b"fun")
        model = ModelFile(path)
        self.assertEqual((model.words(), model.labels), (["", "fun"], ["bad", "good"]))

    def test_rejects_other_files(self):
        path = self.folder / "m.skim"
        path.write_bytes(b"hello")
        with self.assertRaisesRegex(Fault, "m.skim: not a model"):
            ModelFile(path)


class Reports(InFolder):
    def test_keeps_results_of_other_sets(self):
        file = self.folder / "texts.json"
        self.assertEqual(report.earlier(file), {"sets": {}})
        self.assertEqual(report.earlier(None), {"sets": {}})
        whole = {"sets": {"sst": {"run": {"commit": "one"}, "rows": []}}}
        report.save(whole, file)
        self.assertEqual(report.earlier(file), whole)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["texts.json"])

    def test_does_not_overwrite_other_files(self):
        file = self.folder / "mine.json"
        for text in ("not JSON", "[]", '{"rows": []}'):
            file.write_text(text, encoding="utf-8")
            with self.assertRaisesRegex(Fault, "mine.json is no report"):
                report.earlier(file)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(__name__))
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
