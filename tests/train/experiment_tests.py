"""Tests of skim experiment on generated data: the queue, a stop, changed rows, the report.

Environment: SKIM (the program; skim-train stands beside it).
"""
import json
import signal
import subprocess
import time
import unittest

from trainings import SKIM, Trainings, skim

SMALL = {"hidden-size": 20, "max-steps": 120, "eval-steps": 20, "embedding-size": 16}


class Experiments(Trainings):
    def setUp(self):
        self.folder_of_test = self.at / self._testMethodName
        (self.folder_of_test / "rows/sets").mkdir(parents=True)
        self.put("sets/small", title="Small", train=["small/train.tsv"], dev="small/dev.tsv", test="small/test.tsv",
                 options=SMALL)
        self.put("dense", title="LSTM", set="small", seeds=[1], train={"reader": "dense"},
                 paper={"accuracy": 0.9, "speedup": 1.0})
        self.put("skim", title="Skim LSTM", set="small", seeds=[1, 2], train={"skim-size": 4}, sweep=True, budgets=[0.5])

    def put(self, name, **fields):
        (self.folder_of_test / "rows" / f"{name}.json").write_text(json.dumps(fields))

    def command(self, action, *rest):
        return ["experiment", action, "--experiments", self.folder_of_test / "rows", "--work",
                self.folder_of_test / "work", *rest]

    def experiment(self, action, *rest, status=0):
        if action in ("run", "time"):
            rest = ("--data", self.at, *rest)
        done = skim(*self.command(action, *rest))
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def report_of(self, name):
        return json.loads((self.folder_of_test / "rows/results" / f"{name}.json").read_text())

    def test_runs_missing_rows_and_skips_finished_ones(self):
        self.assertIn("3 run, 0 were done already", self.experiment("run", "--all").stderr)
        before = {name: self.report_of(name) for name in ("dense", "skim")}
        run = before["skim"]["runs"][1]
        self.assertEqual(run["seed"], 2)
        for field in ("options", "data", "commit", "machine", "version", "date", "training", "dev", "test"):
            self.assertIn(field, run)
        self.assertIn(run["dev"]["accuracy"], [look["accuracy"] for look in run["dev"]["looks"]])
        self.assertEqual(run["budgets"][0]["budget"], 0.5)
        self.assertGreater(len(run["thresholds"]), 5)
        self.assertIn("0 run, 3 were done already", self.experiment("run", "--all").stderr)
        self.assertEqual(before, {name: self.report_of(name) for name in ("dense", "skim")})
        self.check_times_and_report()
        # A row with the options of another one reuses its model.
        self.put("twin", title="Twin", set="small", seeds=[1], train={"skim-size": 4})
        self.assertIn("1 run, 0 were done already", self.experiment("run", "twin").stderr)
        logs = [next((self.folder_of_test / "work").glob(f"{name}-1-*.log")) for name in ("twin", "skim")]
        self.assertTrue(logs[0].samefile(logs[1]), "was trained again")
        self.assertEqual(self.report_of("twin")["runs"][0]["dev"], before["skim"]["runs"][0]["dev"])
        self.assertEqual(self.report_of("twin")["runs"][0]["test"], before["skim"]["runs"][0]["test"])
        (self.folder_of_test / "rows/twin.json").unlink()
        # A changed row is trained again.
        self.put("dense", title="LSTM", set="small", seeds=[1], train={"reader": "dense", "hidden-size": 16})
        self.assertIn("1 run, 2 were done already", self.experiment("run", "--all").stderr)
        self.assertEqual(self.report_of("dense")["runs"][0]["options"]["hidden-size"], 16)

    def check_times_and_report(self):
        self.assertIn("3 runs timed", self.experiment("time", "--busy").stderr)
        self.assertGreater(self.report_of("dense")["runs"][0]["timing"]["microseconds"]["per_word"], 0)
        listed = json.loads(self.experiment("list", "--json").stdout)
        self.assertEqual([(row["row"], row["run"], row["timed"]) for row in listed], [("dense", 1, 1), ("skim", 2, 2)])
        page, markdown = self.folder_of_test / "report.html", self.folder_of_test / "report.md"
        self.experiment("report", "--html", page, "--markdown", markdown, "--figures", self.folder_of_test / "figures")
        text = markdown.read_text()
        self.assertIn("| `dense` | LSTM | 1 |", text)
        self.assertIn("| 90.0 |", text)
        self.assertIn("figures/threshold-small.svg", text)
        self.assertIn("<svg", (self.folder_of_test / "figures/threshold-small.svg").read_text())
        self.assertIn("<svg", page.read_text())

    def test_a_distilled_row_trains_its_teacher_and_is_reproducible(self):
        self.put("distilled", title="Distilled", set="small", seeds=[1], 
                 train={"skim-size": 4, "teacher": "dense", "distillation-weight": 0.7, "start-from": "dense"})
        said = self.experiment("run", "distilled").stderr
        self.assertIn("dense seed 1: training, needed by distilled", said)
        run = self.report_of("distilled")["runs"][0]
        self.assertIn("dense seed 1", run["data"])
        self.assertFalse((self.folder_of_test / "rows/results/dense.json").exists(), "that row was not requested")
        (self.folder_of_test / "rows/results/distilled.json").unlink()
        for file in (self.folder_of_test / "work").glob("distilled*"):
            file.unlink()
        self.assertNotIn("needed by", self.experiment("run", "distilled").stderr)
        self.assertEqual(self.report_of("distilled")["runs"][0]["test"], run["test"])

    def test_resumes_after_a_stop(self):
        self.put("dense", title="LSTM", set="small", seeds=[1], train={"reader": "dense", "max-steps": 3000,
                                                                       "patience-steps": 100000})
        command = [SKIM, *map(str, self.command("run", "dense", "--data", self.at))]
        queue = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        work = self.folder_of_test / "work"
        deadline = time.monotonic() + 60
        while not list(work.glob("*.log")) and time.monotonic() < deadline:
            time.sleep(0.05)
        queue.send_signal(signal.SIGTERM)
        said = queue.communicate(timeout=60)[1]
        self.assertEqual(queue.returncode, 1, said)
        self.assertIn("put aside", said)
        self.assertFalse((self.folder_of_test / "rows/results/dense.json").exists())
        again = self.experiment("run", "dense").stderr
        self.assertIn("resumed after step", again)
        self.assertEqual(len(self.report_of("dense")["runs"]), 1)

    def test_reports_usage_errors(self):
        self.assertIn("--data is missing", skim(*self.command("run", "--all")).stderr)
        self.assertIn("which rows?", skim(*self.command("run", "--data", self.at)).stderr)
        self.assertIn("did you mean 'dense'", self.experiment("run", "dence", status=1).stderr)
        self.assertIn("none of list, run, time, report", skim("experiment", "walk").stderr)
        self.put("skim", title="Skim LSTM", set="small", seeds=[1], train={"no-such-option": 1})
        self.assertIn("no-such-option", self.experiment("run", "skim", status=1).stderr)
        elsewhere = skim("experiment", "list", "--experiments", self.at / "nowhere")
        self.assertEqual(elsewhere.returncode, 1)
        self.assertIn("--experiments DIR", elsewhere.stderr)


if __name__ == "__main__":
    unittest.main()
