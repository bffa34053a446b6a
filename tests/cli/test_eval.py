"""skim eval, sweep and tune: a model on a data set."""
import json
import os
import shutil
import subprocess

import support
from support import SkimTest


def on_data(verb, *arguments):
    return [verb, support.DATA, "--model", support.MODEL, *arguments]


def written(name, text):
    with open(support.path(name), "w", newline="") as file:
        file.write(text)
    return support.path(name)


def examples():
    return [line.split("\t", 1) for line in open(support.DATA, encoding="utf-8").read().splitlines()]


class Eval(SkimTest):
    def test_json_has_the_documented_fields(self):
        out = self.json(*on_data("eval", "--json", "--seconds", "0.1", "--rounds", "2"))
        self.assertFields(out, ["examples", "accuracy", "skim_rate", "flop_reduction", "speedup", "microseconds",
                                "model", "data", "threshold", "seed", "machine", "version"])
        self.assertFlops(out["flop_reduction"])
        self.assertFields(out["microseconds"], ["per_word", "per_text_p50", "per_text_p99"])
        self.assertEqual(out["examples"], 60)
        self.assertEqual((out["model"], out["data"]), (support.MODEL, support.DATA))
        self.assertGreater(out["speedup"], 0)
        self.assertTrue(out["machine"]["cpu"])

    def test_planted_model_solves_its_task_while_skimming(self):
        out = self.json(*on_data("eval", "--json", "--no-speed"))
        self.assertEqual(out["accuracy"], 1)
        self.assertGreater(out["skim_rate"], 0.3)

    def test_accuracy_is_the_share_of_correct_answers(self):
        wrong = [[{"positive": "negative", "negative": "positive"}[label] if i < 15 else label, text]
                 for i, (label, text) in enumerate(examples())]
        name = written("wrong.tsv", "".join(f"{label}\t{text}\n" for label, text in wrong))
        out = self.json("eval", name, "--model", support.MODEL, "--json", "--no-speed")
        self.assertEqual(out["accuracy"], 0.75)

    def test_all_formats_give_the_same_results(self):
        rows = examples()
        numbers = {"negative": "0", "positive": "1"}
        quoted = lambda text: '"' + text.replace('"', '""') + '"'
        files = [written("e.csv", "text,label\r\n" + "".join(f"{quoted(t)},{l}\r\n" for l, t in rows)),
                 written("e.ft", "".join(f"__label__{l} {t}\n" for l, t in rows)),
                 written("e.jsonl", "".join(json.dumps({"label": l, "text": t}) + "\n" for l, t in rows)),
                 written("e.num", "".join(f"{numbers[l]}\t{t}\n" for l, t in rows))]
        expected = self.json(*on_data("eval", "--json", "--no-speed"))
        for name in files:
            out = self.json("eval", name, "--model", support.MODEL, "--json", "--no-speed")
            for field in ("examples", "accuracy", "skim_rate", "flop_reduction", "words"):
                self.assertEqual(out[field], expected[field], (name, field))

    def test_data_can_come_from_standard_input(self):
        out = self.json("eval", "-", "--model", support.MODEL, "--json", "--no-speed", text=open(support.DATA).read())
        self.assertEqual((out["examples"], out["data"]), (60, "standard input"))

    def test_default_output_is_a_table(self):
        out = self.ok(*on_data("eval", "--seconds", "0.05", "--rounds", "2"))
        for words in ("accuracy", "skim rate", "speed-up", "positive", "negative", "core"):
            self.assertIn(words, out)

    def test_limit_selects_evenly_spaced_examples(self):
        out = self.json(*on_data("eval", "--json", "--no-speed", "--limit", "10"))
        self.assertEqual(out["examples"], 10)

    def test_result_does_not_depend_on_threads(self):
        outs = [self.json(*on_data("eval", "--json", "--no-speed", "--threads", n)) for n in (1, 3)]
        self.assertEqual(outs[0], outs[1])

    def test_evaluates_a_dense_reader(self):
        out = self.json("eval", support.DATA, "--model", support.path("dense.skim"), "--json", "--seconds", "0.05")
        self.assertEqual(out["skim_rate"], 0)

    def test_malformed_data_reports_file_and_line(self):
        for text, says in (("positive\tgood\nnothing\n", "line 2"), ("", "the file is empty"), ("neutral\tgood\n", "'neutral'"),
                           ("7\tgood\n", "'7'"), ("label,text\npositive,\"x\n", "line 2"), ("just words\n", "TAB")):
            name = written("bad.tsv", text)
            for verb in ("eval", "sweep"):
                self.fails(verb, name, "--model", support.MODEL, says=[name, says])

    def test_missing_file_is_reported(self):
        self.fails("eval", "/no/such.tsv", "--model", support.MODEL, says="/no/such.tsv")


class Sweep(SkimTest):
    def test_has_one_row_per_threshold(self):
        out = self.json(*on_data("sweep", "--json", "--thresholds", "1,0,0.5"))
        self.assertEqual([row["threshold"] for row in out["rows"]], [0, 0.5, 1])
        self.assertEqual([row["skim_rate"] for row in out["rows"]][::2], [0, 1])
        for row in out["rows"]:
            self.assertFields(row, ["accuracy", "skim_rate", "flop_reduction"])
            self.assertFlops(row["flop_reduction"])
            self.assertNotIn("speedup", row)

    def test_default_thresholds_contain_0_05_and_1(self):
        thresholds = [row["threshold"] for row in self.json(*on_data("sweep", "--json", "--limit", "5"))["rows"]]
        self.assertTrue({0, 0.5, 1} <= set(thresholds))
        self.assertEqual(thresholds, sorted(thresholds))

    def test_speed_is_optional(self):
        out = self.json(*on_data("sweep", "--json", "--thresholds", "0.5", "--speed", "--seconds", "0.05", "--rounds", "1"))
        self.assertGreater(out["rows"][0]["speedup"], 0)

    def test_row_at_05_equals_eval(self):
        row = self.json(*on_data("sweep", "--json", "--thresholds", "0.5"))["rows"][0]
        out = self.json(*on_data("eval", "--json", "--no-speed"))
        for field in ("accuracy", "skim_rate", "flop_reduction"):
            self.assertEqual(row[field], out[field])


class EarlyAnswer(SkimTest):
    LONG = "good " * 40 + "the plot " * 400

    def test_stops_reading_and_says_how_much_was_not_looked_at(self):
        out = self.json("read", "--model", support.MODEL, "--json", "--confident", "0.8", self.LONG)
        steps = len(out["passes"][0]["steps"])
        self.assertEqual(steps, 128)
        self.assertEqual(out["unseen_share"], round(1 - 128 / 840, 6))
        self.assertEqual(len(out["words"]), 840)
        self.assertNotIn("width", out["words"][128])
        prefix = " ".join(self.LONG.split()[:128])
        expected = self.json("read", "--model", support.MODEL, "--json", prefix)
        self.assertEqual((out["answer"], out["scores"]), (expected["answer"], expected["scores"]))
        text = self.ok("read", "--model", support.MODEL, "--confident", "0.8", self.LONG)
        self.assertIn("% never looked at", text)
        self.assertEqual(text.count("| "), 1)
        self.assertNotIn("unseen_share", self.json("read", "--model", support.MODEL, "--json", self.LONG))
        page = support.path("early.html")
        self.ok("read", "--model", support.MODEL, "--confident", "0.8", "--html", page, self.LONG)

    def test_run_gives_the_same_as_read(self):
        texts = [self.LONG, "good", self.LONG + " bad"]
        lines = self.ok("run", "--model", support.MODEL, "--json", "--confident", "0.8", text="\n".join(texts) + "\n")
        for text, line in zip(texts, lines.splitlines(), strict=True):
            alone = self.json("read", "--model", support.MODEL, "--json", "--confident", "0.8", text)
            self.assertEqual({key: alone[key] for key in ("scores", "unseen_share", "flop_reduction")},
                             {key: json.loads(line)[key] for key in ("scores", "unseen_share", "flop_reduction")})

    def test_eval_has_a_table_and_a_row(self):
        data = support.path("long.tsv")
        with open(data, "w") as file:
            file.write("positive\t" + self.LONG + "\nnegative\tbad\n")
        out = self.json("eval", data, "--model", support.MODEL, "--json", "--no-speed")
        self.assertEqual([row["confident"] for row in out["early_answers"]], [0.8, 0.9, 0.95, 0.98, 0.99])
        one = self.json("eval", data, "--model", support.MODEL, "--json", "--no-speed", "--confident", "0.8")
        self.assertEqual(one["unseen_share"], out["early_answers"][0]["unseen_share"])
        self.assertGreater(one["unseen_share"], 0.5)
        self.assertNotIn("early_answers", one)
        self.assertIn("never looked at", self.ok("eval", data, "--model", support.MODEL, "--no-speed"))
        self.assertNotIn("early_answers", self.json("eval", data, "--model", support.path("both.skim"), "--json", "--no-speed"))

    def test_wrong_use_is_reported(self):
        self.fails("read", "--model", support.MODEL, "--confident", "2", "text", code=2, says="--confident")
        self.fails("read", "--model", support.path("both.skim"), "--confident", "0.9", "text", says="in one direction")
        self.fails("read", "--model", support.path("span.skim"), "--confident", "0.9", "--question", "who?", "a text",
                   says="in one direction")


class Confidence(SkimTest):
    def test_reports_calibration_and_coverage(self):
        out = self.json(*on_data("eval", "--json", "--no-speed", "--abstain", "0.8"))
        self.assertEqual(len(out["calibration"]["bins"]), 15)
        self.assertEqual(sum(each["count"] for each in out["calibration"]["bins"]), out["examples"])
        rows = out["risk_coverage"]["rows"]
        self.assertEqual(rows[0]["accuracy"], out["accuracy"])
        for row in rows:
            again = self.json(*on_data("eval", "--json", "--no-speed", "--abstain", row["threshold"]))["abstention"]
            self.assertEqual(again, row)
        text = self.ok(*on_data("eval", "--no-speed", "--abstain", "0.8"))
        for words in ("expected calibration error", "Brier score", "negative log likelihood", "accuracy of the answered",
                      "answered  accuracy  --abstain"):
            self.assertIn(words, text)

    def test_tuning_reduces_the_calibration_error(self):
        name = support.path("reliable.skim")
        self.ok(*on_data("tune", "--out", name))
        before, after = (self.json("eval", support.DATA, "--model", each, "--json", "--no-speed")["calibration"]
                         for each in (support.MODEL, name))
        self.assertLess(after["ece"], before["ece"])
        self.assertLess(after["nll"], before["nll"])

    def test_page_is_written(self):
        page = support.path("reliability.html")
        self.ok(*on_data("eval", "--no-speed", "--html", page))
        with open(page) as file:
            html = file.read()
        self.assertIn("Reliability diagram", html)
        self.assertIn("Risk-coverage curve", html)
        self.fails("eval", support.DATA, "--model", support.MODEL, "--html", support.DATA, code=2, says="--html")
        self.fails(*on_data("eval", "--no-speed", "--html", "/no/such/page.html"), says="/no/such")

    def test_abstaining_replaces_the_answer_in_text_and_marks_it_in_json(self):
        lines = "good good good\ngood bad\n"
        sure, unsure = self.ok("run", "--model", support.MODEL, "--abstain", "0.7", text=lines).splitlines()
        self.assertTrue(sure.startswith("positive\t"))
        self.assertTrue(unsure.startswith("-\t"))
        named = self.ok("run", "--model", support.MODEL, "--abstain", "0.7", "--abstain-label", "?", text=lines)
        self.assertTrue(named.splitlines()[1].startswith("?\t"))
        out = self.ok("run", "--model", support.MODEL, "--abstain", "0.7", "--json", text=lines).splitlines()
        self.assertEqual(['"abstained":true' in line for line in out], [False, True])
        self.assertIn('"abstained":false', out[0])
        self.assertIn("scores", json.loads(out[1]))
        self.assertNotIn("abstained", self.ok("run", "--model", support.MODEL, "--json", text=lines))
        self.assertIn("abstained: ", self.ok("read", "--model", support.MODEL, "--abstain", "1", "good bad"))
        self.assertEqual(self.ok("read", "--model", support.MODEL, "--abstain", "1", "--quiet", "good bad"), "-\n")

    def test_wrong_use_is_reported(self):
        for verb in ("run", "read", "eval"):
            self.fails(verb, "--model", support.MODEL, "--abstain", "1.5", support.DATA, code=2, says="--abstain")
        self.fails("run", "--model", support.MODEL, "--abstain-label", "x", code=2, says="needs --abstain")
        self.fails("run", "--model", support.path("span.skim"), "--abstain", "0.5", text="a\n", says="is for classifiers")


class Tune(SkimTest):
    def test_stores_a_calibration_for_budgets(self):
        name = support.path("tuned.skim")
        out = self.json(*on_data("tune", "--out", name, "--json"))
        points = out["calibration"]["points"]
        self.assertEqual([p["threshold"] for p in points], sorted(p["threshold"] for p in points))
        self.assertEqual([p["work"] for p in points], sorted((p["work"] for p in points), reverse=True))
        self.assertEqual(self.json("info", name, "--json")["calibration"], out["calibration"])
        for budget in (0.5, 0.9):
            report = self.json("eval", support.DATA, "--model", name, "--json", "--no-speed", "--budget", budget)
            self.assertLessEqual(1 / report["flop_reduction"]["counted"], budget + 0.1)

    def test_in_place_keeps_everything_else(self):
        name = support.path("in_place.skim")
        shutil.copy(support.MODEL, name)
        before = self.json("info", name, "--json")
        self.ok("tune", support.DATA, "--model", name)
        after = self.json("info", name, "--json")
        for field in ("spec", "labels", "parameters", "probes", "about", "weight_type"):
            self.assertEqual(before[field], after[field])
        self.ok("verify", name)

    def test_does_not_change_a_built_in_model(self):
        root = support.FOLDER / "built-in"
        root.mkdir()
        program = shutil.copy(support.SKIM, root)
        shutil.copy(support.MODEL, root / "default.skim")
        before = (root / "default.skim").read_bytes()
        for options in ([], ["--model", "default"]):
            done = subprocess.run([program, "tune", support.DATA, *options], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("--out", done.stderr)
        done = subprocess.run([program, "tune", support.DATA, "--out", root / "mine.skim"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((root / "default.skim").read_bytes(), before)

    def test_failure_leaves_no_file(self):
        before = sorted(os.listdir(support.FOLDER))
        self.fails(*on_data("tune", "--out", "/no/such/folder/x.skim"), says="/no/such/folder")
        self.assertEqual(sorted(os.listdir(support.FOLDER)), before)

    def test_fits_the_temperature(self):
        name = support.path("warm.skim")
        out = self.json(*on_data("tune", "--out", name, "--json"))
        self.assertNotEqual(out["temperature"], 1)
        self.assertLess(out["nll"], out["nll_before"])
        self.assertEqual(self.json("info", name, "--json")["temperature"], out["temperature"])
        self.assertIn("temperature   " + str(out["temperature"])[:4], self.ok("info", name))
        self.assertTrue(self.json("verify", name, "--json")["ok"])
        again = self.json("tune", support.DATA, "--model", name, "--json")
        self.assertEqual(again["temperature"], out["temperature"])
        scores = [self.json("read", "a good film", "--model", each, "--json") for each in (support.MODEL, name)]
        self.assertEqual(scores[0]["answer"]["text"], scores[1]["answer"]["text"])
        self.assertNotEqual(scores[0]["answer"]["score"], scores[1]["answer"]["score"])
        self.assertIn("Temperature ", self.ok(*on_data("tune", "--out", name)))

    def test_no_temperature_keeps_it_and_takes_any_labels(self):
        name, data = support.path("cold.skim"), support.path("other-labels.tsv")
        with open(data, "w") as file:
            file.write("fine\ta good film\nawful\ta bad film\n")
        self.fails("tune", data, "--model", support.MODEL, "--out", name, says=["line 1", "--no-temperature"])
        out = self.json("tune", data, "--model", support.MODEL, "--out", name, "--no-temperature", "--json")
        self.assertEqual(out["temperature"], 1)

    def test_a_dense_reader_has_a_temperature_but_no_thresholds(self):
        name = support.path("dense-tuned.skim")
        out = self.json("tune", support.DATA, "--model", support.path("dense.skim"), "--out", name, "--json")
        self.assertEqual(out["calibration"]["points"], [])
        self.assertLess(out["nll"], out["nll_before"])
        self.fails("tune", support.DATA, "--model", name, "--no-temperature", says="dense-tuned.skim")
        text = self.ok("tune", support.DATA, "--model", name)
        self.assertNotIn("Budgets", text)

    def test_unreachable_budget_is_reported(self):
        name = support.path("reach.skim")
        self.ok(*on_data("tune", "--out", name))
        self.fails("read", "--model", name, "--budget", "0", "text", says="budget")
