"""Drives reproduction/run with real trainings on generated data: the queue, a stop in the middle, changed rows.

Environment: SKIM (the program; skim-train stands beside it), SKIM_MAKE_DATA (make_data).
"""
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from trainings import SKIM, Trainings

RUN = pathlib.Path(__file__).resolve().parents[2] / "reproduction/run"
SMALL = {"hidden-size": 20, "max-steps": 120, "eval-steps": 20, "embedding-size": 16}


class Reproduction(Trainings):
    def setUp(self):
        self.home = self.at / self._testMethodName
        self.put("sets/small", title="Small", train=["small/train.tsv"], dev="small/dev.tsv", test="small/test.tsv",
                 options=SMALL)
        self.put("rows/dense", title="LSTM", set="small", seeds=[1], train={"reader": "dense"})
        self.put("rows/skim", title="Skim LSTM", set="small", seeds=[1, 2], train={"skim-size": 4}, sweep=True,
                 budgets=[0.5])

    def put(self, name, **fields):
        path = self.home / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(fields))

    def command(self, action, *rest):
        return [sys.executable, str(RUN), action, "--rows", str(self.home), "--work", str(self.home / "work"), "--data",
                str(self.at), "--skim", SKIM, *rest]

    def act(self, action, *rest, status=0):
        done = subprocess.run(self.command(action, *rest), capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def result(self, name):
        return json.loads((self.home / f"results/{name}.json").read_text())

    def test_runs_what_is_missing_and_skips_what_is_stored(self):
        self.assertIn("3 run, 0 were stored already", self.act("run", "--all").stderr)
        run = self.result("skim")["runs"][1]
        self.assertEqual(run["seed"], 2)
        self.assertIn(run["dev"]["accuracy"], [one["accuracy"] for one in run["dev"]["evaluations"]])
        self.assertEqual(run["budgets"][0]["budget"], 0.5)
        self.assertGreater(len(run["thresholds"]), 5)
        self.assertGreater(run["test"]["flops_per_word"], 0)
        self.assertIn("0 run, 3 were stored already", self.act("run", "--all").stderr)
        self.assertIn("3 runs timed", self.act("time", "--busy").stderr)
        self.assertGreater(self.result("dense")["runs"][0]["timing"]["microseconds"]["per_word"], 0)

    def test_a_distilled_row_trains_its_teacher_and_is_the_same_when_made_again(self):
        self.put("rows/distilled", title="Distilled", set="small", seeds=[1],
                 train={"skim-size": 4, "teacher": "dense", "distillation-weight": 0.7, "start-from": "dense"})
        self.assertIn("dense seed 1: training, needed by distilled", self.act("run", "distilled").stderr)
        run = self.result("distilled")["runs"][0]
        self.assertIn("dense seed 1", run["data"])
        (self.home / "results/distilled.json").unlink()
        for file in (self.home / "work").glob("distilled*"):
            file.unlink()
        self.assertNotIn("needed by", self.act("run", "distilled").stderr)
        self.assertEqual(self.result("distilled")["runs"][0]["test"], run["test"])

    def test_resumes_after_a_stop(self):
        self.put("rows/dense", title="LSTM", set="small", seeds=[1],
                 train={"reader": "dense", "max-steps": 1000, "patience-steps": 100000})
        queue = subprocess.Popen(self.command("run", "dense"), stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not list((self.home / "work").glob("*.log")) and time.monotonic() < deadline:
            time.sleep(0.05)
        queue.send_signal(signal.SIGTERM)
        said = queue.communicate(timeout=60)[1]
        self.assertEqual(queue.returncode, 1, said)
        self.assertIn("stopped; the same command resumes", said)
        self.assertFalse((self.home / "results/dense.json").exists())
        self.assertIn("resumed", self.act("run", "dense").stderr)
        self.assertEqual(len(self.result("dense")["runs"]), 1)

    def test_an_unknown_option_is_named(self):
        self.put("rows/skim", title="Skim LSTM", set="small", seeds=[1], train={"no-such-option": 1})
        self.assertIn("no-such-option", self.act("run", "skim", status=1).stderr)


if __name__ == "__main__":
    unittest.main()
