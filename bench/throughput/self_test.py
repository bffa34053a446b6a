"""Tests of bench/throughput/run --self-test: the parts that need no peer, no data and no model."""
import importlib
import io
import pathlib
import sys
import tempfile
import types
import unittest
from contextlib import redirect_stderr
from unittest import mock

import fasttext_front
import fasttext_python
import front
import onnx_lstm
import pypi
import rounds
import rows
from batches import sorted_batches
from programs import Missing
from sets import Set

INTERCHANGE = pathlib.Path(__file__).resolve().parents[2] / "tests/interchange"


def make_row(name, accuracy, microseconds, engine="skim", times=None):
    return {"name": name, "engine": engine, "test_accuracy": accuracy, "microseconds": {"min": microseconds},
            "microseconds_per_call": None, "model_bytes": 1_000_000, "times": times or {}}


def with_ratios(*found):
    """Fills in the ratios that rounds without noise would give."""
    for row in found:
        row["times"] = {other["name"]: front.microseconds(row) / front.microseconds(other) for other in found}
    return list(found)


class Front(unittest.TestCase):
    def test_a_row_that_is_slower_and_less_accurate_is_not_on_the_front(self):
        found = [make_row("fast", 0.8, 1.0), make_row("good", 0.9, 3.0), make_row("poor", 0.79, 2.0),
                 make_row("slow", 0.9, 4.0)]
        self.assertEqual(front.pareto(found), {"fast", "good"})

    def test_equal_rows_are_all_on_the_front(self):
        self.assertEqual(front.pareto([make_row("a", 0.9, 1.0), make_row("b", 0.9, 1.0)]), {"a", "b"})

    def test_rivals_are_within_half_a_point_of_the_best_fasttext(self):
        found = [make_row("skim", 0.99, 1.0), make_row("best", 0.900, 9.0, "fastText"),
                 make_row("near", 0.895, 5.0, "fastText, PyPI"), make_row("far", 0.894, 1.0, "fastText")]
        self.assertEqual([row["name"] for row in front.rivals(found)], ["near", "best"])

    def test_faster_rows_are_accurate_enough_and_beat_each_rival(self):
        found = with_ratios(make_row("quick", 0.90, 4.0), make_row("poor", 0.89, 1.0), make_row("slow", 0.95, 6.0),
                            make_row("best", 0.90, 9.0, "fastText"), make_row("near", 0.896, 5.0, "fastText"))
        self.assertEqual(front.faster_than_rivals(found), ["quick"])
        self.assertIn("faster: quick, 90.00 %, 4.00 us, at least 1.25x as fast as each of them.",
                      list(front.verdict(found)))

    def test_a_row_that_is_faster_in_the_median_alone_does_not_count(self):
        found = with_ratios(make_row("noisy", 0.90, 5.0), make_row("best", 0.90, 5.0, "fastText"))
        found[0]["times"]["best"] = 0.9
        self.assertEqual(front.faster_than_rivals(found), [])

    def test_verdict_names_what_fasttext_is_still_best_for(self):
        found = with_ratios(make_row("skim", 0.90, 4.0), make_row("best", 0.85, 9.0, "fastText"),
                            make_row("small", 0.80, 1.0, "fastText"))
        self.assertIn("Rows of fastText on the front: 1, from 80.00 % at 1.00 us to 80.00 % at 1.00 us.",
                      list(front.verdict(found)))
        self.assertIn("No row of fastText is on the front.", list(front.verdict(found[:2])))

    def test_nothing_is_faster_than_no_rival(self):
        self.assertEqual(front.faster_than_rivals(with_ratios(make_row("skim", 0.9, 1.0))), [])
        self.assertIn("No fastText row to compare with.", list(front.verdict([make_row("skim", 0.9, 1.0)])))

    def test_table_has_one_line_per_row(self):
        found = with_ratios(make_row("a", 0.9, 2.0), make_row("b", 0.85, 4.0, "fastText"))
        lines = list(front.table("toy", found))
        self.assertEqual(lines[4], "| a | 90.00 | 2.00 | 500,000 | 1.00 |  | 1.0 | front faster |")
        self.assertEqual(lines[5], "| b | 85.00 | 4.00 | 250,000 | 2.00 |  | 1.0 |  |")


class Architectures(unittest.TestCase):
    def test_each_comes_once(self):
        names = [fasttext_front.name_of({**one, "text": "raw"}) for one in fasttext_front.architectures()]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(names), 6 * (1 + 2 * 3))

    def test_the_start_is_one_of_them(self):
        names = [fasttext_front.name_of({**one, "text": "apart"}) for one in fasttext_front.architectures()]
        self.assertIn(fasttext_front.name_of(fasttext_front.START), names)

    def test_larger_tables_and_more_ngrams_cost_more(self):
        def cost(size, ngrams, buckets=None, text="raw"):
            return fasttext_front.cost({**fasttext_front.architecture(size, ngrams, buckets), "text": text})

        self.assertLess(cost(4, 1), cost(4, 2, 100_000))
        self.assertLess(cost(16, 2, 100_000), cost(16, 2, 2_000_000))
        self.assertLess(cost(16, 2, 500_000), cost(100, 2, 500_000))
        self.assertLess(cost(4, 1), cost(4, 1, text="apart"))

    def test_peel_takes_the_front_first(self):
        candidates = [(1, 0.80, "cheap"), (2, 0.90, "good"), (2, 0.85, "behind"), (3, 0.90, "dear")]
        self.assertEqual(fasttext_front.peel(candidates, 2), ["good", "cheap"])
        self.assertEqual(fasttext_front.peel(candidates, 3), ["good", "cheap", "dear"])
        self.assertEqual(len(fasttext_front.peel(candidates, 9)), 4)


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="skim-throughput-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)


class Search(InFolder):
    def make_peer(self):
        (self.folder / "toy").mkdir(exist_ok=True)
        for part in ("train", "dev", "test"):
            (self.folder / "toy" / f"{part}.tsv").write_text("1\ta\n", encoding="utf-8")
        return fasttext_front.FastTextFront(Set(self.folder, "toy"), self.folder / "work", None)

    def prepare(self, score, max_seconds=1000):
        """Trains with a function from a setting to dev accuracy, each training taking a second."""
        peer, trained = self.make_peer(), []

        def train(_, setting, model):
            trained.append(setting)
            model.write_text(repr(setting))
            return score(setting)

        peer.train = train
        with (mock.patch("programs.fasttext_worker"), redirect_stderr(io.StringIO()),
              mock.patch("fasttext_front.children_seconds", lambda: float(len(trained)))):
            peer.prepare(max_seconds)
        return peer, trained

    def test_trains_every_architecture_once_and_never_again(self):
        peer, trained = self.prepare(lambda setting: 0.5)
        names = {fasttext_front.name_of(setting) for setting in trained}
        # Two more forms of the text at the start.
        self.assertEqual(len(names), 42 + 2)
        self.assertEqual(self.prepare(lambda setting: 0.5)[1], [])
        self.assertEqual(len(peer.settings(1000)), 44)

    def test_keeps_the_best_model_of_an_architecture(self):
        peer, _ = self.prepare(lambda setting: 0.9 if (setting["rate"], setting["epochs"]) == (0.6, 10) else 0.5)
        name = fasttext_front.name_of(fasttext_front.START)
        self.assertEqual(peer.settings(1000)[name]["rate"], 0.6)
        self.assertEqual(peer.model(name).read_text(), repr(peer.settings(1000)[name]))
        self.assertEqual(list(peer.folder.glob("*.new")), [])

    def test_stops_when_the_time_is_over_and_goes_on_with_more(self):
        self.assertEqual(len(self.prepare(lambda setting: 0.5, 5)[1]), 5)
        self.assertEqual(len(self.prepare(lambda setting: 0.5, 5)[1]), 0)
        self.assertEqual(len(self.prepare(lambda setting: 0.5, 7)[1]), 2)

    def test_unprepared_data_is_left_out(self):
        with self.assertRaisesRegex(Missing, "prepare"):
            self.make_peer().settings(10)


class Texts(unittest.TestCase):
    def test_python_writes_texts_as_the_library_gets_them(self):
        for form, text in (("raw", "It's É."), ("lower", "it's É."), ("apart", "it ' s É . ")):
            self.assertEqual(fasttext_python.make_writer(form)("It's É."), text)

    def test_batches_hold_each_text_once_and_are_sorted_by_length(self):
        self.assertEqual(sorted_batches([3, 9, 1, 9, 5], 2), [[1, 3], [4, 0], [2]])


class Onnx(unittest.TestCase):
    def build(self, pooling, eight_bits):
        def floats(*shape):
            count = 1
            for extent in shape:
                count *= extent
            return shape, b"\0\0\x80\x3f" * count

        weights = {"embedding.weight": floats(5, 3), "weight_ih": floats(8, 3), "weight_hh": floats(8, 2),
                   "bias": floats(8), "head.weight": floats(2, 2), "head.bias": floats(2)}
        if pooling:
            weights["pooling.weight"] = floats(2)
        return onnx_lstm.build(weights, eight_bits)

    def parse(self, data):
        """With the parser of the tests, which knows nothing of the writer."""
        sys.path.insert(0, str(INTERCHANGE))
        onnx_file = importlib.import_module("onnx_file")
        (graph,) = onnx_file.repeated_field(data, 7)
        kinds = [onnx_file.text_field(node, 4) for node in onnx_file.repeated_field(graph, 1)]
        inputs = [onnx_file.text_field(one, 1) for one in onnx_file.repeated_field(graph, 11)]
        return kinds, inputs

    def test_attention_needs_a_mask(self):
        kinds, inputs = self.parse(self.build(pooling=True, eight_bits=False))
        self.assertEqual(kinds, ["Gather", "LSTM", "Squeeze", "MatMul", "Add", "Softmax", "Mul", "ReduceSum", "Gemm",
                                 "ArgMax"])
        self.assertEqual(inputs, ["words", "lengths", "mask"])

    def test_the_last_state_needs_none(self):
        kinds, inputs = self.parse(self.build(pooling=False, eight_bits=True))
        self.assertEqual(kinds, ["Gather", "DynamicQuantizeLSTM", "Squeeze", "Gemm", "ArgMax"])
        self.assertEqual(inputs, ["words", "lengths"])


class Rounds(unittest.TestCase):
    def worker(self, engine, calls, samples, model="m", command=("worker", "m")):
        row = rows.Entry(f"{engine} {calls}", list(command), model, {}, engine=engine, calls=calls)
        return types.SimpleNamespace(row=row, samples=samples)

    def test_a_call_from_python_costs_the_difference_of_the_two_rows(self):
        one, many = self.worker(rows.WHEEL, "one", [5.0, 9.0, 6.0]), self.worker(rows.WHEEL, "all", [4.0, 4.0, 4.0])
        self.assertEqual(rounds.microseconds_per_call(one, [one, many]), 2.0)
        self.assertIsNone(rounds.microseconds_per_call(many, [one, many]))

    def test_batches_that_answer_differently_are_found(self):
        one = self.worker("skim", "one", [], command=("worker", "m", "budget", "0.1"))
        block = self.worker("skim", "block", [], command=("worker", "m", "budget", "0.1", "block", 64))
        scores = {"skim one": {"answers": ["1", "0", "1"]}, "skim block": {"answers": ["1", "1", "1"]}}
        self.assertEqual(rounds.differing_answers([one, block], scores), {"skim block": 1})
        scores["skim block"] = scores["skim one"]
        self.assertEqual(rounds.differing_answers([one, block], scores), {})

    def test_progress_tells_the_time_left(self):
        now, stream = [0.0], io.StringIO()
        progress = rounds.Progress("toy", 4, stream, lambda: now[0])
        progress.step("one")
        now[0] = 20.0
        progress.step("two")
        self.assertEqual(stream.getvalue(), "toy: two, 60 s left\n")


class Packages(InFolder):
    def test_what_is_not_installed_is_left_out_with_a_reason(self):
        with self.assertRaisesRegex(Missing, "fasttext-wheel of PyPI is not installed"):
            pypi.Venv(self.folder).python_with("fasttext")

    def test_a_failed_installation_names_its_error(self):
        done = types.SimpleNamespace(returncode=1, stdout="", stderr="WARNING: x\nERROR: no such package\nhint\n")
        with self.assertRaisesRegex(Missing, "^pip failed: ERROR: no such package$"):
            pypi.check(done, "pip failed")


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(__name__))
    return 0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1
