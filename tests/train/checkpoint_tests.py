"""Tests of skim train as a program that is killed or stopped. src/trainer has the tests that need no process.

Environment: SKIM (the program; skim-train stands beside it), SKIM_MAKE_DATA (make_data).
"""
import json
import random
import signal
import subprocess
import time
import unittest

from trainings import SKIM, Trainings


class Checkpoints(Trainings):
    def start(self, options, **streams):
        return subprocess.Popen([SKIM, "train", *map(str, options)], **streams)

    def kill_after_a_checkpoint(self, options, checkpoint, delay):
        """Starts training and kills it some time after it has written a new checkpoint. False when it has ended."""
        def version():
            return checkpoint.stat().st_mtime_ns if checkpoint.exists() else None
        before = version()
        process = self.start(options, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        while version() == before and process.poll() is None:
            time.sleep(0.002)
        time.sleep(delay)
        process.kill()
        return process.wait() == -signal.SIGKILL

    def kill_often(self, times, options, checkpoint):
        """Returns how often training was killed before its end."""
        chance = random.Random(1)
        return sum(self.kill_after_a_checkpoint(options, checkpoint, chance.random() * 0.05) for _ in range(times))

    def test_resuming_after_kills_gives_the_same_file(self):
        whole, killed, log = self.at / "whole.skim", self.at / "killed.skim", self.at / "killed.jsonl"
        folder = self.at / "killed.skim.checkpoint"
        self.train(*self.quick(whole, "--max-steps", 300, "--buckets", 60))
        options = self.quick(killed, "--max-steps", 300, "--buckets", 60, "--resume", "--log", log)
        kills = self.kill_often(5, [*options, "--checkpoint-seconds", 0.02], folder / "checkpoint.safetensors")
        self.assertGreaterEqual(kills, 3)
        # What a kill during the writing of a checkpoint leaves.
        (folder / ".skim-1-0.tmp").write_bytes(b"cut")
        self.assertIn("resumed after step", self.train(*options).stderr)
        self.assertEqual(whole.read_bytes(), killed.read_bytes())
        evaluations = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([entry["step"] for entry in evaluations], list(range(20, 301, 20)),
                         "each evaluation on dev is logged once")
        self.assertTrue(all(0 <= entry["dev_accuracy"] <= 1 for entry in evaluations))
        seconds = [entry["seconds"] for entry in evaluations]
        self.assertEqual(seconds, sorted(seconds), "time counts from the first start")
        self.assertFalse(folder.exists(), "a finished training leaves no checkpoint")

    def test_pretrain_fully_reads_every_word_first_and_resumes_after_kills(self):
        whole, killed, log = self.at / "pre.skim", self.at / "prekilled.skim", self.at / "pre.jsonl"
        options = ["--pretrain-fully", "--patience-steps", 60, "--max-steps", 200, "--gamma", 0.3]
        self.train(*self.quick(whole, *options, "--log", log))
        rates = [json.loads(line)["dev_skim_rate"] for line in log.read_text().splitlines()]
        self.assertEqual(rates[:3], [0, 0, 0], "nothing is skimmed until dev stops improving")
        self.assertGreater(rates[-1], 0.2)
        killable = self.quick(killed, *options, "--checkpoint-seconds", 0.02, "--resume")
        self.assertGreaterEqual(
            self.kill_often(3, killable, self.at / "prekilled.skim.checkpoint/checkpoint.safetensors"), 2)
        self.assertIn("resumed after step", self.train(*self.quick(killed, *options, "--resume")).stderr)
        self.assertEqual(whole.read_bytes(), killed.read_bytes())

    def test_saves_a_checkpoint_on_sigint(self):
        out, log = self.at / "stopped.skim", self.at / "stopped.jsonl"
        process = self.start(self.quick(out, "--max-steps", 100000, "--log", log), stderr=subprocess.PIPE, text=True)
        while not log.exists() or not log.read_text():
            self.assertIsNone(process.poll(), "training ended by itself")
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("--resume", errors)
        self.assertTrue((self.at / "stopped.skim.checkpoint/checkpoint.safetensors").exists())
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
