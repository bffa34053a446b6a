"""Tests of the skim train command: generated data, bad input, kills and checkpoints.

Environment: SKIM (the program; skim-train stands beside it).
"""
import array
import json
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

from trainings import SKIM, Trainings, make_data, skim

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "interchange"))
import safetensors_file


class Training(Trainings):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        make_data("planted", "--into", cls.at, "--format", "jsonl", "--train", 6000)
        # The reference run of several tests.
        cls.whole, cls.log = cls.at / "whole.skim", cls.at / "whole.jsonl"
        done = skim("train", *cls.quick(cls.whole, "--log", cls.log))
        assert done.returncode == 0, done.stderr

    def test_reads_the_planted_words_and_skims_the_filler(self):
        """The decisive words are known, and the default options must find them, even in a short run."""
        model = self.at / "planted.skim"
        self.train("--train", self.at / "train.jsonl", "--dev", self.at / "dev.jsonl", "--out", model, "--quiet",
                   "--max-steps", 1000, "--threads", 1)
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

    def test_gives_the_same_file_for_one_thread_and_two(self):
        two = self.at / "two.skim"
        self.train(*self.quick(two, "--threads", 2))
        self.assertEqual(self.whole.read_bytes(), two.read_bytes())

    def test_resuming_after_kills_gives_the_same_file(self):
        killed = self.at / "killed.skim"
        chance = random.Random(1)
        log = self.at / "killed.jsonl"
        command = [SKIM, "train", *map(str, self.quick(killed, "--checkpoint-seconds", 0.02, "--resume", "--log", log))]
        kills = 0
        for _ in range(10):
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            try:
                process.wait(timeout=0.15 + chance.random() * 0.5)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
        self.assertGreaterEqual(kills, 5)
        # What a kill during the writing of a checkpoint leaves.
        left = self.at / "killed.skim.checkpoint/.skim-1-0.tmp"
        left.parent.mkdir(exist_ok=True)
        left.write_bytes(b"cut")
        self.train(*self.quick(killed, "--resume", "--log", log))
        self.assertEqual(self.whole.read_bytes(), killed.read_bytes())
        evaluations = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([entry["step"] for entry in evaluations], [20, 40, 60, 80, 100, 120],
                         "each evaluation on dev is logged once")
        seconds = [entry["seconds"] for entry in evaluations]
        self.assertEqual(seconds, sorted(seconds), "time counts from the first start")
        self.assertFalse((self.at / "killed.skim.checkpoint").exists(), "a finished training leaves no checkpoint")

    def test_pretrain_fully_reads_every_word_first_and_resumes_after_kills(self):
        whole, killed, log = self.at / "pre.skim", self.at / "prekilled.skim", self.at / "pre.jsonl"
        options = ["--pretrain-fully", "--patience-steps", 60, "--max-steps", 200, "--gamma", 0.3]
        self.train(*self.quick(whole, *options, "--log", log))
        rates = [json.loads(line)["dev_skim_rate"] for line in log.read_text().splitlines()]
        self.assertEqual(rates[:3], [0, 0, 0], "nothing is skimmed until dev stops improving")
        self.assertGreater(rates[-1], 0.2)
        command = [SKIM, "train", *map(str, self.quick(killed, *options, "--checkpoint-seconds", 0.02, "--resume"))]
        for seconds in (0.5, 0.7, 0.9, 1.1):
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            time.sleep(seconds)
            process.kill()
            process.wait()
        self.train(*self.quick(killed, *options, "--resume"))
        self.assertEqual(whole.read_bytes(), killed.read_bytes())

    def test_saves_a_checkpoint_on_sigint(self):
        out = self.at / "stopped.skim"
        log = self.at / "stopped.jsonl"
        process = subprocess.Popen([SKIM, "train", *map(str, self.quick(out, "--max-steps", 100000, "--log", log))],
                                   stderr=subprocess.PIPE, text=True)
        while not log.exists() or not log.read_text():
            self.assertIsNone(process.poll(), "training ended by itself")
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("--resume", errors)
        self.assertTrue((self.at / "stopped.skim.checkpoint/checkpoint.safetensors").exists())
        self.assertFalse(out.exists())
        # Resuming with a smaller --max-steps writes the best model so far.
        self.train(*self.quick(out, "--max-steps", 1, "--resume"))
        self.assertTrue(out.exists())

    def test_rejects_a_checkpoint_of_other_options(self):
        out = self.at / "other.skim"
        folder = self.at / "other.skim.checkpoint"
        process = subprocess.Popen([SKIM, "train", *map(str, self.quick(out, "--max-steps", 100000, "--checkpoint-seconds", 0.1))],
                                   stderr=subprocess.DEVNULL)
        while not (folder / "checkpoint.safetensors").exists():
            time.sleep(0.05)
        process.kill()
        process.wait()
        done = self.train(*self.quick(out, "--resume", "--seed", 2), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("other options", done.stderr)
        checkpoint = folder / "checkpoint.safetensors"
        bytes_ = bytearray(checkpoint.read_bytes())
        bytes_[-5] ^= 1
        checkpoint.write_bytes(bytes_)
        done = self.train(*self.quick(out, "--resume", "--max-steps", 100000, "--checkpoint-seconds", 0.1), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("damaged", done.stderr)

    def test_every_kind_of_model_trains_and_verifies(self):
        kinds = [["--reader", "dense", "--ema-decay", 0, "--freeze-embeddings"],
                 ["--cell", "gru", "--pooling", "max", "--estimator", "straight-through"],
                 ["--cell", "rnn", "--pooling", "mean", "--estimator", "reinforce"],
                 ["--skim-size", "8,4,0", "--pooling", "attention", "--target-rate", 0.5],
                 ["--skim-size", 0, "--decision", "dot", "--pretrain-steps", 20],
                 ["--decision", "linear_cell", "--small-input", "full", "--pretrain-fully"],
                 ["--num-layers", 2, "--bidirectional", "--adversarial", 2, "--random-crop", "--max-words", 10],
                 ["--reader", "lstm-jump", "--jump", "4,6,3", "--jump-in-training", "3,4"],
                 ["--reader", "lstm-jump", "--jump", "1,2,3", "--jump-over", "sentences"],
                 ["--reader", "skip-rnn", "--cell", "gru", "--gamma", 0.1],
                 ["--reader", "vcrnn", "--target-rate", 0.7, "--pooling", "max"]]
        for kind in kinds:
            with self.subTest(kind=kind):
                out = self.at / "kind.skim"
                done = self.train(*self.quick(out, "--max-steps", 40, "--json", *kind))
                self.assertEqual(json.loads(done.stdout)["probes"], 10)
                verified = skim("verify", "--model", out)
                self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)

    def test_trainable_min_count_freezes_embeddings_of_rare_words(self):
        embeddings = self.at / "embeddings.txt"
        words = sorted({word for line in (self.at / "small/train.tsv").read_text().splitlines()
                        for word in line.split("\t", 1)[1].lower().split() if word.isalpha()})
        embeddings.write_text("".join(f"{word} {' '.join(['0.5'] * 16)}\n" for word in words))
        kept = {}
        for min_count in (1, 10**6):
            out = self.at / f"trainable{min_count}.skim"
            self.train(*self.quick(out, "--embeddings", embeddings, "--trainable-min-count", min_count, "--max-steps", 20))
            data = out.read_bytes()
            size = int.from_bytes(data[:8], "little")
            begin, end = json.loads(data[8:8 + size])["embedding.weight"]["data_offsets"]
            values = array.array("f", data[8 + size + begin:8 + size + end])
            kept[min_count] = sum(value == 0.5 for value in values)
        self.assertEqual(kept[10**6], 16 * len(words))
        self.assertLess(kept[1], 16 * len(words) // 2)

    def test_splits_off_dev_without_a_dev_file(self):
        done = self.train("--train", self.at / "small/train.tsv", "--out", self.at / "split.skim", "--max-steps", 20)
        self.assertIn("split off", done.stderr)

    def test_reports_usage_errors(self):
        one = self.at / "one.tsv"
        one.write_text("a\tsome text\na\tmore text\n")
        bad = self.at / "bad.tsv"
        bad.write_text("a\tsome text\nno tab here\n")
        unpunctuated = self.at / "unpunctuated.tsv"
        unpunctuated.write_text("a\tsome text\nb\tmore text\n")
        out = self.at / "never.skim"
        cases = [(["--out", out], 2, "--train is missing"),
                 (["--train", one], 2, "--out is missing"),
                 (["--train", one, "--out", out], 1, "label"),
                 (["--train", bad, "--out", out], 1, "2"),
                 (["--train", self.at / "none.tsv", "--out", out], 1, "none.tsv"),
                 (self.quick(out, "--skim-size", 40), 1, "skim"),
                 (self.quick(out, "--dropout", 1), 2, "dropout"),
                 (self.quick(out, "--temperature-decay", -1), 2,
                  "--temperature-decay is -1, expected a number (at least 0)"),
                 (self.quick(out, "--batch-size", 0), 2, "--batch-size is '0', expected a whole number (at least 1)"),
                 (self.quick(out, "--threads", 100000), 2, "--threads is '100000', expected a whole number (from 0 to 1024)"),
                 (self.quick(out, "--clip", "nan"), 2, "--clip"),
                 (self.quick(out, "--checkpoint-seconds", "nan"), 2, "--checkpoint-seconds"),
                 (self.quick(out, "--crops"), 2, "--crops is now --random-crop"),
                 (self.quick(out, "--hidden=20"), 2, "--hidden is now --hidden-size"),
                 (self.quick(out, "--reader", "full"), 2, "--reader full is now --reader dense"),
                 (self.quick(out, "--words", "fixed"), 2, "--words fixed is now --freeze-embeddings"),
                 (self.quick(out, "--estimator", "none"), 2, "--start-from"),
                 (self.quick(out, "--max-steps", 3, "--pretrain-steps", 3), 2, "--pretrain-steps must be fewer"),
                 (self.quick(out, "--chrono-init", 100, "--cell", "gru"), 2, "--chrono-init is for --cell lstm"),
                 (self.quick(out, "--reader", "lstm-jump", "--jump", "3,4"), 2, "R,K,N"),
                 (self.quick(out, "--reader", "lstm-jump", "--target-rate", 0.5), 2, "reward"),
                 (self.quick(out, "--jump-over", "sentences"), 2, "--reader lstm-jump"),
                 (self.quick(out, "--reader", "lstm-jump", "--jump-over", "sentences", "--bidirectional"), 2, "one direction"),
                 (self.quick(out, "--reader", "lstm-jump", "--jump-over", "sentences", "--train", unpunctuated, "--dev", unpunctuated), 1, "no sentence"),
                 (self.quick(out, "--gamma", 0.1, "--target-rate", 0.5), 2, "--target-rate")]
        for options, code, words in cases:
            with self.subTest(options=options):
                done = self.train(*options, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertFalse(out.exists())

    def test_accepts_empty_and_very_long_texts(self):
        data = self.at / "long.tsv"
        data.write_text("".join(f"{label}\t{text}\n" for label, text in
                                [("a", "good " * 100_000), ("b", "bad")] * 2 + [("a", "good"), ("b", "-")] * 4))
        self.train("--train", data, "--dev", data, "--out", self.at / "long.skim", "--max-steps", 3, "--eval-steps", 3,
                   "--hidden-size", 8, "--skim-size", 2)

    def test_evaluates_a_test_file_and_keeps_the_model_when_that_fails(self):
        out = self.at / "test.skim"
        options = ["--max-steps", 20, "--json"]
        done = self.train(*self.quick(out, *options, "--test", self.at / "small/test.tsv"))
        told = json.loads(done.stdout)
        seen = json.loads(skim("eval", self.at / "small/test.tsv", "--model", out, "--json", "--quiet").stdout)
        self.assertAlmostEqual(told["test_accuracy"], seen["accuracy"], places=5)
        self.assertAlmostEqual(told["test_skim_rate"], seen["skim_rate"], places=5)
        self.assertEqual(self.train(*self.quick(out, *options, "--test", self.at / "none.tsv"), check=False).returncode, 2)
        bad = self.at / "unknown.tsv"
        bad.write_text("neither\tsome text\n")
        out.unlink()
        done = self.train(*self.quick(out, *options, "--test", bad), check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["steps"], 20, "the result of training is printed all the same")
        self.assertTrue(out.exists())
        out.unlink()
        bad.write_text("no tab here\n")
        done = self.train(*self.quick(out, *options, "--test", bad), check=False)
        self.assertEqual((done.returncode, done.stdout, out.exists()), (1, "", False), "rejected before training")

    def test_start_from_initializes_the_weights(self):
        """A skimming model starts with the weights of a dense one."""
        dense, started = self.at / "dense.skim", self.at / "started.skim"
        self.train(*self.quick(dense, "--reader", "dense"))
        done = self.train(*self.quick(started, "--start-from", dense, "--max-steps", 1, "--eval-steps", 1,
                                      "--learning-rate", 1e-9, "--json"))
        self.assertIn("initialized", done.stderr)
        whole = json.loads(skim("eval", self.at / "small/dev.tsv", "--model", dense, "--no-speed", "--json").stdout)
        read_all = json.loads(skim("eval", self.at / "small/dev.tsv", "--model", started, "--no-speed", "--json",
                                   "--threshold", 0).stdout)
        self.assertEqual(read_all["accuracy"], whole["accuracy"])
        refused = self.train(*self.quick(started, "--start-from", dense, "--estimator", "none"), check=False)
        self.assertIn("has no decisions to freeze", refused.stderr)
        again = self.train(*self.quick(self.at / "again.skim", "--start-from", started, "--max-steps", 1))
        self.assertIn("embeddings from", again.stderr)

    def test_estimator_none_freezes_decisions_and_trains_cells(self):
        settled = self.at / "settled.skim"
        self.train(*self.quick(settled, "--start-from", self.whole, "--estimator", "none", "--max-steps", 20))
        before, after = (safetensors_file.read(model)[0] for model in (self.whole, settled))
        decisions = {name for name in before if ".decision." in name}
        self.assertTrue(decisions)
        for name in decisions:
            self.assertEqual(before[name], after[name], name)
        for name in (name for name in before if name.endswith((".big.weight_hh", ".small.1.weight_hh"))):
            self.assertNotEqual(before[name], after[name], name)

    def test_distillation_learns_what_the_labels_do_not_say(self):
        """The labels are random, so accuracy comes from the soft targets."""
        chance = random.Random(1)
        wrong = self.at / "wrong.tsv"
        texts = [line.split("\t", 1)[1] for line in (self.at / "small/train.tsv").read_text().splitlines()]
        wrong.write_text("".join(f"{chance.choice(('negative', 'positive'))}\t{text}\n" for text in texts))
        teacher, student = self.at / "teacher.skim", self.at / "student.skim"
        long = ["--max-steps", 400, "--eval-steps", 100]
        self.train(*self.quick(teacher, *long))
        self.train(*self.quick(student, *long, "--train", wrong, "--teacher", teacher, "--teacher", teacher,
                               "--distillation-weight", 1, "--distillation-temperature", 2))
        crops = self.at / "crops.skim"
        self.train(*self.quick(crops, *long, "--train", wrong, "--teacher", teacher, "--distillation-weight", 0,
                               "--distillation-crops", 6))
        for model in (student, crops):
            seen = json.loads(skim("eval", self.at / "small/train.tsv", "--model", model, "--no-speed", "--json").stdout)
            self.assertGreater(seen["accuracy"], 0.8)
        bad = self.at / "other.tsv"
        bad.write_text("good\tsome text\nbad\tother text\n" * 20)
        for options, said in ((["--train", bad, "--dev", bad, "--teacher", teacher], "does not have the label 'bad'"),
                              (["--teacher", self.at / "none.skim"], "none.skim"),
                              (["--teacher", teacher, "--distillation-weight", 2], "--distillation-weight"),
                              (["--distillation-crops", 2], "needs a --teacher")):
            refused = self.train(*self.quick(self.at / "misfit.skim", *options), check=False)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn(said, refused.stderr)

    def test_start_from_rejects_a_model_that_does_not_fit(self):
        for options, said in ((["--cell", "gru"], "its cell is lstm, expected gru"), (["--embedding-size", 8], "its embedding size is 16, expected 8"),
                              (["--start-from", self.at / "none.skim"], "none.skim")):
            given = options if "--start-from" in options else ["--start-from", self.whole, *options]
            done = self.train(*self.quick(self.at / "misfit.skim", *given), check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(said, done.stderr)

    def test_logs_one_json_object_per_evaluation(self):
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        self.assertEqual([line["step"] for line in lines], [20, 40, 60, 80, 100, 120])
        self.assertTrue(all(0 <= line["dev_accuracy"] <= 1 for line in lines))


if __name__ == "__main__":
    unittest.main(verbosity=2)
