"""Multi-label and regression models: every verb that shows answers or measures them."""
import json

import support
from support import SkimTest

MULTILABEL, NUMBER = "multilabel.skim", "number.skim"


def texts():
    return [line.split("\t", 1)[1] for line in open(support.DATA, encoding="utf-8").read().splitlines()]


def run_json(case, model):
    out = case.ok("run", "--model", support.path(model), "--json", text="\n".join(texts()) + "\n")
    return [json.loads(line) for line in out.splitlines()]


class MultiLabel(SkimTest):
    def test_labels_are_those_above_their_thresholds(self):
        for reading in run_json(self, MULTILABEL):
            scores = {entry["label"]: entry["score"] for entry in reading["scores"]}
            expected = [label for label, threshold in (("negative", 0.3), ("positive", 0.6)) if scores[label] > threshold]
            self.assertEqual(reading["labels"], expected)
            self.assertEqual(reading["answer"]["score"], max(scores.values()))

    def test_run_prints_labels_separated_by_commas(self):
        lines = self.ok("run", "--model", support.path(MULTILABEL), text="\n".join(texts()) + "\n").split("\n")
        self.assertEqual(lines, [",".join(reading["labels"]) for reading in run_json(self, MULTILABEL)] + [""])

    def test_read_shows_the_labels(self):
        text = texts()[0]
        labels = self.json("read", "--model", support.path(MULTILABEL), "--json", text)["labels"]
        self.assertEqual(self.ok("read", "--model", support.path(MULTILABEL), "--quiet", text), ",".join(labels) + "\n")
        summary = self.ok("read", "--model", support.path(MULTILABEL), text).splitlines()[-1]
        for label in labels:
            self.assertRegex(summary, label + r" \d+\.\d%")

    def test_eval_and_sweep_measure_sets(self):
        data = support.path("sets.tsv")
        with open(data, "w", encoding="utf-8") as file:
            file.writelines(f"{','.join(reading['labels'])}\t{text}\n"
                            for reading, text in zip(run_json(self, MULTILABEL), texts()))
        report = self.json("eval", data, "--model", support.path(MULTILABEL), "--json", "--no-speed")
        self.assertEqual((report["micro_f1"], report["subset_accuracy"]), (1, 1))
        self.assertEqual([entry["threshold"] for entry in report["labels"]], [0.3, 0.6])
        self.assertNotIn("accuracy", report)
        self.assertIn("micro F1", self.ok("eval", data, "--model", support.path(MULTILABEL), "--no-speed"))
        rows = self.json("sweep", data, "--model", support.path(MULTILABEL), "--json", "--thresholds", "0.5")["rows"]
        self.assertEqual(rows[0]["micro_f1"], 1)
        self.assertIn("micro F1", self.ok("sweep", data, "--model", support.path(MULTILABEL), "--thresholds", "0.5"))

    def test_tune_tunes_the_thresholds_of_labels(self):
        out = self.json("tune", support.DATA, "--model", support.path(MULTILABEL), "--out", support.path("tuned.skim"),
                        "--points", "3", "--json", "--quiet")
        self.assertEqual(len(out["calibration"]["label_thresholds"]), 2)
        before, after = (self.json("eval", support.DATA, "--model", support.path(model), "--json", "--no-speed")["micro_f1"]
                         for model in (MULTILABEL, "tuned.skim"))
        self.assertGreaterEqual(after, before)

    def test_info_and_verify(self):
        self.assertIn("(multi-label)", self.ok("info", support.path(MULTILABEL)))
        self.ok("verify", support.path(MULTILABEL))

    def test_quantize_keeps_the_thresholds(self):
        self.ok("quantize", "--model", support.path(MULTILABEL), "--weights", "int8", "--out", support.path("q.skim"),
                "--quiet")
        calibration = self.json("info", support.path("q.skim"), "--json")["calibration"]
        self.assertEqual([round(threshold, 6) for threshold in calibration["label_thresholds"]], [0.3, 0.6])


class Number(SkimTest):
    def test_answers_are_values_without_scores(self):
        for reading in run_json(self, NUMBER):
            self.assertEqual(list(reading["answer"]), ["text", "value"])
            self.assertAlmostEqual(float(reading["answer"]["text"]), reading["answer"]["value"], 3)
            self.assertNotIn("scores", reading)

    def test_run_and_read_print_the_number(self):
        numbers = [reading["answer"]["text"] for reading in run_json(self, NUMBER)]
        out = self.ok("run", "--model", support.path(NUMBER), text="\n".join(texts()) + "\n")
        self.assertEqual(out.splitlines(), numbers)
        self.assertEqual(self.ok("read", "--model", support.path(NUMBER), "--quiet", texts()[0]), numbers[0] + "\n")
        self.assertIn(numbers[0] + ", read ", self.ok("read", "--model", support.path(NUMBER), texts()[0]))

    def test_eval_measures_errors(self):
        data = support.path("numbers.tsv")
        with open(data, "w", encoding="utf-8") as file:
            file.writelines(f"{reading['answer']['value'] + 2}\t{text}\n"
                            for reading, text in zip(run_json(self, NUMBER), texts()))
        report = self.json("eval", data, "--model", support.path(NUMBER), "--json", "--no-speed")
        self.assertAlmostEqual(report["mae"], 2, 3)
        self.assertAlmostEqual(report["rmse"], 2, 3)
        self.assertAlmostEqual(report["pearson"], 1, 5)
        self.assertIn("Spearman", self.ok("eval", data, "--model", support.path(NUMBER), "--no-speed"))
        self.assertIn("RMSE", self.ok("sweep", data, "--model", support.path(NUMBER), "--thresholds", "0.5"))

    def test_labels_must_be_numbers(self):
        self.fails("eval", support.DATA, "--model", support.path(NUMBER), says="is not a finite number")

    def test_info_names_the_output(self):
        self.assertIn("a number (regression)", self.ok("info", support.path(NUMBER)))
