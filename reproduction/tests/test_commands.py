"""The commands from outside: output, exit codes, messages."""
import json
import pathlib
import subprocess
import sys

from support import LabTest

HOME = pathlib.Path(__file__).resolve().parents[1]


class Commands(LabTest):
    def call(self, command, *arguments, code=0):
        done = subprocess.run([sys.executable, HOME / command, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def here(self, action, *arguments, code=0):
        return self.call("run", action, *arguments, "--rows", self.folder, code=code)

    def test_list_and_status(self):
        self.assertIn("a    tiny  table  2      A", self.here("list").stdout)
        self.assertIn("0 of 2 runs are stored", self.here("status").stdout)
        (row,) = json.loads(self.here("status", "--json").stdout)
        self.assertEqual((row["row"], row["run"], row["timed"]), ("a", 0, 0))

    def test_wrong_usage_gets_clear_messages(self):
        self.assertIn("--data is missing", self.here("run", "--all", code=2).stderr)
        self.assertIn("which rows?", self.here("run", "--data", self.folder, code=2).stderr)
        self.assertIn("invalid choice: 'walk'", self.here("walk", code=2).stderr)
        self.assertIn("no row 'b'", self.here("run", "b", "--data", self.folder, code=1).stderr)
        self.assertIn("--rows DIR", self.call("run", "list", "--rows", self.folder / "nowhere", code=1).stderr)

    def test_report_goes_to_standard_output_by_default(self):
        done = self.call("report", "--rows", self.folder, "--no-reviews")
        self.assertTrue(done.stdout.startswith("# Results\n"))

    def test_report_names_a_missing_program(self):
        self.assertIn("--skim PROGRAM", self.call("report", "--rows", self.folder, code=1).stderr)

    def test_plot_names_a_file_that_is_not_what_skim_prints(self):
        self.put("x.json", "[3]")
        self.assertIn("x.json: expected what `skim bench --json` prints", self.call("plot", "x.json", code=1).stderr)
        self.assertIn("nothing.json", self.call("plot", "nothing.json", code=1).stderr)

    def test_the_stored_report_shows_figures_that_exist(self):
        text = (HOME / "results.md").read_text(encoding="utf-8")
        shown = {part.split(")")[0] for part in text.split("](figures/")[1:]}
        self.assertEqual(shown, {path.name for path in (HOME / "figures").glob("*.svg")})
