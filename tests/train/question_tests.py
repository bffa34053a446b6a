"""Tests of skim train, eval, read and run on generated questions with known answers.

Environment: SKIM (the program; skim-train stands beside it).
"""
import json
import signal
import subprocess
import time
import unittest

from trainings import SKIM, Trainings, make_data, skim


class Questions(Trainings):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make("questions", "questions", "--words", 40)
        cls.make("cloze", "cloze")

    @classmethod
    def make(cls, task, into, *options, train=3000, dev=150):
        make_data(task, "--into", cls.at / into, "--train", train, "--dev", dev, "--test", dev, *options)

    @classmethod
    def learn(cls, task, out, *options):
        """Options of a run of a few seconds."""
        folder, end = ("cloze", "txt") if task == "cloze" else ("questions", "json")
        usual = {"--train": cls.at / folder / f"train.{end}", "--dev": cls.at / folder / f"dev.{end}",
                 "--embedding-size": 24, "--hidden-size": 32, "--skim-size": 8, "--dropout": 0, "--input-dropout": 0,
                 "--learning-rate": 0.005, "--ema-decay": 0.98, "--max-steps": 400, "--eval-steps": 100, "--threads": 1,
                 "--min-count": 1}
        rest = [part for name, value in usual.items() if name not in options for part in (name, value)]
        return ["--task", task, "--out", out, *rest, *options]

    def evaluate(self, model, file):
        done = skim("eval", file, "--model", model, "--no-speed", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_span_finds_the_answer_in_the_text(self):
        model = self.at / "span.skim"
        done = self.train(*self.learn("span", model, "--bidirectional", "--gamma", 0.05, "--json",
                                      "--test", self.at / "questions/test.json"))
        told = json.loads(done.stdout)
        report = self.evaluate(model, self.at / "questions/test.json")
        self.assertGreaterEqual(report["f1"], 0.7)
        self.assertGreaterEqual(report["exact_match"], 0.5)
        self.assertGreaterEqual(report["skim_rate"], 0.2, "and skims")
        self.assertNotIn("labels", report)
        self.assertEqual([one["reader"] for one in report["passes"]], ["0.forward", "0.backward"])
        self.assertAlmostEqual(told["test_f1"], report["f1"])
        self.check_answers(model)
        self.check_parity_with_the_trainer(model, self.at / "questions/test.json")
        self.check_distillation(model)

    def check_distillation(self, teacher):
        """The labels say that the first word is always the answer, so F1 comes from the soft targets."""
        data = json.loads((self.at / "questions/train.json").read_text())
        for paragraph in (paragraph for article in data["data"] for paragraph in article["paragraphs"]):
            for qa in paragraph["qas"]:
                qa["answers"] = [{"text": paragraph["context"].split()[0], "answer_start": 0}]
        wrong = self.at / "wrong.json"
        wrong.write_text(json.dumps(data))
        student = self.at / "student.skim"
        self.train(*self.learn("span", student, "--train", wrong, "--teacher", teacher, "--distillation-weight", 1,
                               "--bidirectional", "--reader", "dense", "--max-words", 35, "--max-steps", 300))
        self.assertGreaterEqual(self.evaluate(student, self.at / "questions/test.json")["f1"], 0.4)

    def check_parity_with_the_trainer(self, model, file, *options):
        compared = json.loads(skim("train", "compare", model, file, "--limit", 60, "--json", *options).stdout)
        self.assertEqual(compared["queries"], 60)
        self.assertEqual(compared["equal_answers"], 60)
        self.assertEqual(compared["equal_decisions"], compared["steps"])
        self.assertLess(compared["max_score_error"], 1e-4)
        other = skim("train", "compare", self.at / "none.skim", file)
        self.assertEqual(other.returncode, 1)
        self.assertIn("none.skim", other.stderr)

    def check_answers(self, model):
        """read and run give the same answers, as spans of the text."""
        data = json.loads((self.at / "questions/test.json").read_text())
        asked = [(paragraph["context"], qa["question"]) for article in data["data"] for paragraph in article["paragraphs"]
                 for qa in paragraph["qas"]][:20]
        lines = "".join(json.dumps({"text": text, "question": question, "id": i}) + "\n" for i, (text, question) in enumerate(asked))
        answers = skim("run", "--model", model, "--json", input=lines)
        self.assertEqual(answers.returncode, 0, answers.stderr)
        for (text, question), line in zip(asked, answers.stdout.splitlines(), strict=True):
            answer = json.loads(line)["answer"]
            self.assertEqual(text.encode()[answer["begin"]:answer["end"]].decode(), answer["text"])
            read = json.loads(skim("read", "--model", model, "--json", "--question", question, "--", text).stdout)
            self.assertEqual(read["answer"], answer)
            self.assertEqual(len(read["passes"]), 2)
        shown = skim("read", "--model", model, "--question", asked[0][1], "--", asked[0][0]).stdout
        self.assertIn("<<", shown)
        self.assertIn("0.backward", shown)
        page = self.at / "answer.html"
        self.assertEqual(skim("read", "--model", model, "--html", page, "--question", asked[0][1], "--", asked[0][0]).returncode, 0)
        self.assertIn('class="answer"', page.read_text())
        missing = skim("read", "--model", model, "--", asked[0][0])
        self.assertEqual(missing.returncode, 1)
        self.assertIn("no question was given", missing.stderr)

    def test_cloze_fills_gaps_and_skims(self):
        model = self.at / "cloze.skim"
        self.train(*self.learn("cloze", model, "--gamma", 0.02))
        report = self.evaluate(model, self.at / "cloze/test.txt")
        self.assertGreaterEqual(report["accuracy"], 0.8)
        self.assertGreaterEqual(report["skim_rate"], 0.5)
        read = skim("read", "--model", model, "--json", "--question", "all cheered for XXXXX", "--choices", "Selma|Tobin",
                    "--choices", "Petra", "--", "The crowd cheered for Tobin .")
        self.assertEqual(read.returncode, 0, read.stderr)
        reading = json.loads(read.stdout)
        self.assertEqual([one["choice"] for one in reading["scores"]], ["Selma", "Tobin", "Petra"])
        self.assertIn("width", reading["question_words"][0], "the question is read, too")
        quantized = self.at / "cloze8.skim"
        self.assertEqual(skim("quantize", model, "--out", quantized, "--weights", "int8").returncode, 0)
        self.assertEqual(skim("verify", quantized).returncode, 0)
        self.assertGreaterEqual(self.evaluate(quantized, self.at / "cloze/test.txt")["accuracy"], 0.8)
        self.check_distillation_of_choices(model)

    def test_lstm_jump_over_sentences(self):
        model = self.at / "jumps.skim"
        self.train(*self.learn("cloze", model, "--reader", "lstm-jump", "--jump", "1,3,5", "--jump-over", "sentences",
                               "--max-steps", 60))
        self.assertIn("1 sentences, up to 3 sentences on", skim("info", "--model", model).stdout)
        self.check_parity_with_the_trainer(model, self.at / "cloze/test.txt")
        self.check_parity_with_the_trainer(model, self.at / "cloze/test.txt", "--threshold", 1)
        read = skim("read", "--model", model, "--question", "XXXXX left .", "--choices", "Selma|Tobin", "--", "Tobin sat .").stdout
        self.assertIn("read 3 of 3 words", read, "those of the question do not count")

    def check_distillation_of_choices(self, teacher):
        """The labels say that the first choice is always right, so accuracy comes from the soft targets."""
        lines = (self.at / "cloze/train.txt").read_text().splitlines()
        for i, line in enumerate(lines):
            if "\t" in line:
                question, _, nothing, choices = line.split("\t")
                lines[i] = "\t".join((question, choices.split("|")[0], nothing, choices))
        wrong, student = self.at / "wrong.txt", self.at / "student-cloze.skim"
        wrong.write_text("\n".join(lines) + "\n")
        self.train(*self.learn("cloze", student, "--train", wrong, "--teacher", teacher, "--distillation-weight", 1,
                               "--reader", "dense", "--max-steps", 300))
        self.assertGreaterEqual(self.evaluate(student, self.at / "cloze/test.txt")["accuracy"], 0.4)
        refused = self.train(*self.learn("span", self.at / "misfit.skim", "--teacher", teacher), check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("answers with choices, expected spans of a text", refused.stderr)

    def test_bidaf_learns_with_dense_and_skim_readers(self):
        for reader in ("dense", "skim"):
            model = self.at / f"bidaf-{reader}.skim"
            self.train(*self.learn("bidaf", model, "--bidirectional", "--reader", reader, "--hidden-size", 16, "--max-steps", 150,
                                   "--eval-steps", 75, "--train-limit", 2000, "--gamma", 0.01))
            report = self.evaluate(model, self.at / "questions/test.json")
            self.assertGreaterEqual(report["f1"], 0.3, "far above chance")
            self.assertEqual(len(report["passes"]), 8)
            shown = skim("read", "--model", model, "--json", "--question", "Who sleeps?", "--", "The cat sleeps on the mat .")
            passes = json.loads(shown.stdout)["passes"]
            self.assertEqual([len(one["steps"]) for one in passes], [7, 7, 3, 3, 7, 7, 7, 7])
            self.assertEqual([one.get("over") for one in passes][1:4], [None, "question", "question"])
            shown = skim("read", "--model", model, "--question", "Who sleeps?", "--", "The cat sleeps on the mat .").stdout
            self.assertIn("question.0.backward", shown)

    def test_two_threads_and_a_resumed_run_give_the_same_file(self):
        self.make("questions", "few", "--words", 40, train=300, dev=20)
        options = ["--train", self.at / "few/train.json", "--dev", self.at / "few/dev.json", "--max-steps", 24,
                   "--eval-steps", 6, "--bidirectional", "--hidden-size", 12, "--skim-size", 4]
        for task in ("span", "bidaf"):
            whole, two, stopped = (self.at / f"{task}-{name}.skim" for name in ("whole", "two", "stopped"))
            self.train(*self.learn(task, whole, *options))
            self.train(*self.learn(task, two, *options, "--threads", 2))
            self.assertEqual(whole.read_bytes(), two.read_bytes())
            log = self.at / f"{task}.jsonl"
            process = subprocess.Popen([SKIM, "train", *map(str, self.learn(task, stopped, *options, "--log", log))],
                                       stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            while process.poll() is None and not (log.exists() and log.read_text()):
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            process.wait()
            self.train(*self.learn(task, stopped, *options, "--log", log, "--resume"))
            self.assertEqual(whole.read_bytes(), stopped.read_bytes())

    def test_reports_tasks_and_options_that_do_not_fit(self):
        questions, cloze = self.at / "questions/train.json", self.at / "cloze/train.txt"
        for options, said in (
                (["--train", questions], "train on it with --task span"),
                (["--train", cloze], "train on it with --task cloze"),
                (["--task", "span", "--train", cloze], "has no answer in the text"),
                (["--task", "cloze", "--train", questions], "has no choices"),
                (["--task", "span", "--train", questions, "--reader", "lstm-jump"], "--reader lstm-jump"),
                (["--task", "span", "--train", questions, "--random-crop"], "--random-crop"),
                (["--task", "span", "--train", questions, "--teacher", "t.skim", "--distillation-crops", 2], "--distillation-crops"),
                (["--task", "span", "--train", questions, "--adversarial", 1], "--adversarial"),
                (["--task", "cloze", "--train", cloze, "--pooling", "max"], "--pooling")):
            done = self.train(*options, "--out", self.at / "no.skim", check=False)
            self.assertNotEqual(done.returncode, 0, options)
            self.assertIn(said, done.stderr)
        self.assertFalse((self.at / "no.skim").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
