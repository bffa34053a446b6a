"""The queue with a stand-in for skim: what is trained, skipped, resumed, shared and timed."""
import contextlib
import io
import json
import pathlib
from unittest import mock

from skimlab.queue import Part, Queue, State, choose_rows, run_all, run_part, time_all
from skimlab.run import Workspace, beside, model_path
from skimlab.store import locked
from support import LabTest

FAKE_SKIM = str(pathlib.Path(__file__).resolve().with_name("fake_skim.py"))


class QueueTest(LabTest):
    def setUp(self):
        super().setUp()
        self.work = self.folder / "work"
        self.work.mkdir()
        self.put_row("skim", train={"skim-size": 4}, sweep=True, budgets=[0.5])

    def queue(self):
        return Queue(self.rows(), Workspace(self.folder, self.work, FAKE_SKIM), self.folder / "results")

    def run_rows(self, *names):
        """Runs rows; returns whether all were done, and what was said."""
        queue, said = self.queue(), io.StringIO()
        with contextlib.redirect_stderr(said):
            done = run_all(queue, choose_rows(queue.rows, list(names)))
        return done, said.getvalue()

    def time_rows(self, **options):
        queue, said = self.queue(), io.StringIO()
        with contextlib.redirect_stderr(said):
            time_all(queue, choose_rows(queue.rows, []), **({"again": False, "allow_busy": True} | options))
        return said.getvalue()

    def calls(self, verb):
        lines = (self.work / "calls.txt").read_text().splitlines()
        return [line for line in lines if line.startswith(verb)]

    def result(self, name):
        return json.loads((self.folder / f"results/{name}.json").read_text())


class Running(QueueTest):
    def test_runs_what_is_missing_and_skips_what_is_stored(self):
        self.assertIn("3 run, 0 were stored already", self.run_rows()[1])
        self.assertIn("0 run, 3 were stored already", self.run_rows()[1])
        self.assertEqual(len(self.calls("train")), 3)

    def test_a_stored_run_holds_all_that_was_measured(self):
        self.run_rows("skim")
        run = self.result("skim")["runs"][0]
        for field in ("options", "data", "commit", "machine", "version", "date"):
            self.assertIn(field, run)
        self.assertEqual(run["training"], {"steps": 20, "best_step": 20, "seconds": 1.5})
        self.assertEqual(run["dev"]["evaluations"], [{"step": 20, "accuracy": 0.75, "skim_rate": 0.25}])
        self.assertEqual([run["test"][key] for key in ("accuracy", "work", "flops_per_word")], [0.9, 0.25, 123.0])
        self.assertEqual([(at["budget"], at["threshold"]) for at in run["budgets"]], [(0.5, 0.25)])
        self.assertEqual([at["threshold"] for at in run["thresholds"]], [0, 0.5, 1])

    def test_the_test_split_is_read_once_per_setting_and_never_timed_by_run(self):
        self.run_rows("a")
        evaluations = self.calls("eval")
        self.assertEqual(len(evaluations), 2, "one per seed")
        for call in evaluations:
            self.assertIn("--no-speed", call)

    def test_a_changed_row_never_meets_an_old_model(self):
        self.run_rows("skim")
        self.put_row("skim", train={"skim-size": 5})
        self.assertIn("1 run, 0 were stored already", self.run_rows("skim")[1])
        self.assertEqual(len(list(self.work.glob("skim-1-????????.skim"))), 2)
        self.assertEqual(self.result("skim")["runs"][0]["options"]["skim-size"], 5)

    def test_a_row_that_trains_like_another_takes_its_model(self):
        self.run_rows("skim")
        self.put_row("twin", train={"skim-size": 4})
        self.run_rows("twin")
        self.assertEqual(len(self.calls("train")), 1)
        models = [next(self.work.glob(f"{name}-1-????????.skim")) for name in ("skim", "twin")]
        self.assertTrue(models[0].samefile(models[1]))

    def test_a_stopped_training_resumes(self):
        (self.work / "stop").touch()
        done, said = self.run_rows("skim")
        self.assertFalse(done)
        self.assertIn("skim seed 1: stopped; the same command resumes", said)
        self.assertFalse((self.folder / "results/skim.json").exists())
        (self.work / "stop").unlink()
        self.assertTrue(self.run_rows("skim")[0])
        first, second = self.calls("train")
        self.assertNotIn("--resume", first)
        self.assertIn("--resume", second)

    def test_a_failed_training_is_named(self):
        self.put_row("skim", train={"no-such-option": 1})
        self.assertFails(lambda: self.run_rows("skim"), "skim: training failed")

    def test_a_missing_program_is_named(self):
        workspace = Workspace(self.folder, self.work, "/no/such/skim", quiet=True)
        queue = Queue(self.rows(), workspace, self.folder / "results")
        self.assertFails(lambda: run_all(queue, choose_rows(queue.rows, ["skim"])), "/no/such/skim", "--skim")


class Needed(QueueTest):
    def test_teachers_and_starts_are_trained_first_but_not_stored(self):
        self.put_row("distilled", train={"teacher": "a", "start-from": "a"})
        said = self.run_rows("distilled")[1]
        for seed in (1, 2):
            self.assertIn(f"a seed {seed}: training, needed by distilled", said)
        self.assertFalse((self.folder / "results/a.json").exists())
        last = self.calls("train")[-1]
        self.assertEqual((last.count("--teacher "), last.count("--start-from ")), (2, 1))
        self.assertIn("a seed 1", self.result("distilled")["runs"][0]["data"])

    def test_models_that_exist_are_not_trained_again(self):
        self.put_row("distilled", train={"teacher": "a"})
        self.run_rows("a")
        self.run_rows("distilled")
        self.assertEqual(len(self.calls("train")), 3)


class Sharing(QueueTest):
    def test_a_part_that_another_process_works_on_is_left_to_it(self):
        queue = self.queue()
        part = Part(queue.rows.rows["skim"], self.recipe(1, "skim"))
        with locked(beside(model_path(queue.workspace, part.row, part.recipe), ".lock"), wait=False):
            self.assertEqual(run_part(queue, part), State.ELSEWHERE)
            self.assertIn("1 are being run by another process", self.run_rows("skim")[1])
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(run_part(queue, part), State.DONE)
            self.assertEqual(run_part(queue, part), State.STORED)


class Timing(QueueTest):
    def test_times_what_has_a_model_once(self):
        self.run_rows()
        self.assertIn("3 runs timed, 0 had been", self.time_rows())
        self.assertIn("0 runs timed, 3 had been", self.time_rows())
        self.assertIn("3 runs timed", self.time_rows(again=True))
        timing = self.result("skim")["runs"][0]["timing"]
        self.assertEqual((timing["speedup"], timing["texts"]), (2.0, 3))
        self.assertEqual(timing["microseconds"]["dense_per_word"], 2.0)

    def test_refuses_on_a_busy_machine(self):
        self.run_rows("skim")
        with mock.patch("skimlab.queue.busy_processors", return_value=1.5):
            self.assertFails(lambda: self.time_rows(allow_busy=False), "1.5 processors busy", "--busy")

    def test_without_a_model_nothing_is_timed(self):
        self.run_rows("skim")
        next(self.work.glob("skim-*.skim")).unlink()
        self.assertIn("0 runs timed", self.time_rows())


class Choice(QueueTest):
    def test_patterns_choose_rows_once_each(self):
        self.put_row("ab")
        self.assertEqual([row.name for row in choose_rows(self.rows(), ["a*", "ab"])], ["a", "ab"])
        self.assertEqual(len(choose_rows(self.rows(), [])), 3)

    def test_an_unknown_row_gets_a_suggestion(self):
        self.assertFails(lambda: choose_rows(self.rows(), ["skin"]), "no row 'skin'", "did you mean 'skim'?")
