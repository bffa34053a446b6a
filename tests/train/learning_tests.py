"""Tests that skim train learns: generated texts and questions whose answers are known, through skim eval, read and run.

usage: learning_tests.py [Planted|Span|Cloze|Bidaf]

The learning rates are higher than the default, so that few steps suffice; all thresholds leave room for other seeds
and machines. Environment: SKIM (the program; skim-train stands beside it), SKIM_MAKE_DATA (make_data).
"""
import json
import unittest

from trainings import Trainings, make_data, skim


class Planted(Trainings):
    def test_reads_the_planted_words_and_skims_the_filler(self):
        """The decisive words are known, and the default model and losses must find them, even in a short run."""
        make_data("planted", "--into", self.at, "--format", "jsonl", "--train", 6000, "--words", 40)
        model = self.at / "planted.skim"
        self.train("--train", self.at / "train.jsonl", "--dev", self.at / "dev.jsonl", "--out", model, "--quiet",
                   "--learning-rate", 0.005, "--max-steps", 300, "--threads", 1, "--embeddings", "none",
                   "--buckets", 0)
        texts = [json.loads(line) for line in (self.at / "test.jsonl").read_text().splitlines()]
        lines = "".join(text["text"] + "\n" for text in texts)
        answers = skim("run", "--model", model, "--json", "--words", input=lines).stdout.splitlines()
        right = planted = planted_read = filler = filler_skimmed = 0
        for text, answer in zip(texts, map(json.loads, answers), strict=True):
            right += answer["answer"]["text"] == text["label"]
            decisive = set(text["decisive"])
            for index, word in enumerate(answer["words"]):
                read = word["width"] == 100
                if index in decisive:
                    planted, planted_read = planted + 1, planted_read + read
                else:
                    filler, filler_skimmed = filler + 1, filler_skimmed + (not read)
        figures = f"accuracy {right / len(texts):.4f}, planted words read {planted_read / planted:.4f}, " \
                  f"filler skimmed {filler_skimmed / filler:.4f}"
        print(figures)
        self.assertGreaterEqual(right / len(texts), 0.99, figures)
        self.assertGreaterEqual(planted_read / planted, 0.95, figures)
        self.assertGreaterEqual(filler_skimmed / filler, 0.90, figures)


class Questions(Trainings):
    @classmethod
    def make(cls, task, into, *options, train=3000, dev=150):
        make_data(task, "--into", cls.at / into, "--train", train, "--dev", dev, "--test", 150, *options)

    @classmethod
    def learn(cls, task, out, *options):
        """Options of a run of a few seconds."""
        folder, end = ("cloze", "txt") if task == "cloze" else ("questions", "json")
        usual = {"--train": cls.at / folder / f"train.{end}", "--dev": cls.at / folder / f"dev.{end}",
                 "--embedding-size": 24, "--hidden-size": 32, "--skim-size": 8, "--dropout": 0, "--input-dropout": 0,
                 "--learning-rate": 0.01, "--ema-decay": 0.98, "--max-steps": 200, "--eval-steps": 100, "--threads": 1,
                 "--min-count": 1, "--embeddings": "none"}
        rest = [part for name, value in usual.items() if name not in options for part in (name, value)]
        return ["--task", task, "--out", out, *rest, *options]

    def evaluate(self, model, file):
        done = skim("eval", file, "--model", model, "--no-speed", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Span(Questions):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make("questions", "questions", "--words", 40)

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

    def check_parity_with_the_trainer(self, model, file, *options):
        compared = json.loads(skim("train", "compare", model, file, "--limit", 60, "--json", *options).stdout)
        self.assertEqual(compared["queries"], 60)
        self.assertEqual(compared["equal_answers"], 60)
        self.assertEqual(compared["equal_decisions"], compared["steps"])
        self.assertLess(compared["max_score_error"], 1e-4)

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
                               "--bidirectional", "--reader", "dense", "--max-words", 35, "--max-steps", 150))
        self.assertGreaterEqual(self.evaluate(student, self.at / "questions/test.json")["f1"], 0.4)


class Cloze(Questions):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make("cloze", "cloze")

    # A skim reader keeps the name that the cue marks better than a dense one, so both runs have one.
    ENOUGH = ("--gamma", 0.02, "--max-steps", 300, "--batch-size", 16)

    def test_cloze_fills_gaps_and_skims(self):
        model = self.at / "cloze.skim"
        self.train(*self.learn("cloze", model, *self.ENOUGH))
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
                               *self.ENOUGH))
        self.assertGreaterEqual(self.evaluate(student, self.at / "cloze/test.txt")["accuracy"], 0.8)

    def test_lstm_jump_over_sentences_is_shown(self):
        model = self.at / "jumps.skim"
        self.train(*self.learn("cloze", model, "--reader", "lstm-jump", "--jump", "1,3,5", "--jump-over", "sentences",
                               "--max-steps", 2, "--eval-steps", 2))
        self.assertIn("1 sentences, up to 3 sentences on", skim("info", "--model", model).stdout)
        read = skim("read", "--model", model, "--question", "XXXXX left .", "--choices", "Selma|Tobin", "--", "Tobin sat .").stdout
        self.assertIn("read 3 of 3 words", read, "those of the question do not count")


class Bidaf(Questions):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.make("questions", "questions", "--words", 40, dev=42)

    def test_bidaf_learns_with_dense_and_skim_readers(self):
        for reader in ("dense", "skim"):
            model = self.at / f"bidaf-{reader}.skim"
            self.train(*self.learn("bidaf", model, "--bidirectional", "--reader", reader, "--hidden-size", 16,
                                   "--learning-rate", 0.02, "--max-steps", 80, "--eval-steps", 80, "--train-limit", 2000,
                                   "--gamma", 0.01))
            report = self.evaluate(model, self.at / "questions/test.json")
            self.assertGreaterEqual(report["f1"], 0.3, "far above chance")
            self.assertEqual(len(report["passes"]), 8)
            shown = skim("read", "--model", model, "--json", "--question", "Who sleeps?", "--", "The cat sleeps on the mat .")
            passes = json.loads(shown.stdout)["passes"]
            self.assertEqual([len(one["steps"]) for one in passes], [7, 7, 3, 3, 7, 7, 7, 7])
            self.assertEqual([one.get("over") for one in passes][1:4], [None, "question", "question"])
            shown = skim("read", "--model", model, "--question", "Who sleeps?", "--", "The cat sleeps on the mat .").stdout
            self.assertIn("question.0.backward", shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
