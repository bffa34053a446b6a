"""The report as Markdown and as a page."""
import unittest

from skimlab.document import Document, Figure, MarkedText, Section, Table, to_html, to_markdown
from skimlab.report import Request, make_document
from skimlab.store import store_run
from support import LabTest, stored_run


class Documents(unittest.TestCase):
    DOCUMENT = Document("T & U", "For testers.", ["word " * 60], [
        Section("H", ["run `skim < x`"], Table(["a", "b"], [["1|2", "3"], ["", "4"]]),
                [Figure("f.svg", "F", "<?xml?><svg>drawn</svg>")],
                [MarkedText("kept", [("good", True), (" film*", False)])])])

    def test_markdown(self):
        text = to_markdown(self.DOCUMENT, "figures")
        self.assertTrue(text.startswith("# T & U\nFor testers.\n"), "who it is for stands in the first two lines")
        self.assertIn("| a | b |\n| --- | --- |\n| 1\\|2 | 3 |\n| | 4 |\n", text)
        self.assertIn("![F](figures/f.svg)", text)
        self.assertIn("- kept: **good** film\\*", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_page(self):
        page = to_html(self.DOCUMENT)
        for part in ("T &amp; U", "<code>skim &lt; x</code>", "<figure><svg>drawn</svg></figure>",
                     "<mark>good</mark> film*"):
            self.assertIn(part, page)
        for part in ("<?xml", "<script", "http"):
            self.assertNotIn(part, page)


class Reports(LabTest):
    def report(self):
        rows = self.rows()
        return to_markdown(make_document(rows, list(rows.rows.values()), Request(self.folder)), "figures")

    def store(self, seed, accuracy):
        store_run(self.folder / "results", self.row(), stored_run(self.recipe(seed), accuracy), self.folder / "lock")

    def test_says_what_has_not_been_run(self):
        self.assertIn("0 of 2 runs are done; what is missing", self.report())

    def test_sets_our_results_beside_the_papers(self):
        self.put_row("a", seeds=[1, 2], title="LSTM", train={"batch-size": 16}, paper={"accuracy": 0.9, "speedup": 1.0})
        self.store(1, 0.5)
        self.store(2, 0.75)
        text = self.report()
        self.assertIn("| `a` | LSTM | 2 | 62.50 (50.00 to 75.00) | 50.0 | | | | | | | | 90.0 | | | 1.0x |", text)
        self.assertIn("All 2 runs are done. Machine: a processor, 2 cores, AVX2.", text)
        self.assertIn("| `a` | 2 | 0.50 | 0.500 | 50.00 | -25.00 | 50.0 |", text)
        self.assertIn("| `a` | 1 | 50.00 | 50.00 | 50.0 | 10 | 1.5 | abc | 2020-02-02 |", text)
        self.assertIn("| `a` | `--batch-size 16 --pooling max` |", text)

    def test_a_run_with_other_options_does_not_count(self):
        self.store(1, 0.5)
        self.put_row("a", seeds=[1, 2], train={"batch-size": 99})
        self.assertIn("0 of 2 runs are done", self.report())

    def test_spans_have_f1_and_exact_match(self):
        run = stored_run(self.recipe(), 0.5)
        run["test"] |= {"f1": 0.5, "exact_match": 0.25}
        store_run(self.folder / "results", self.row(), run, self.folder / "lock")
        text = self.report()
        self.assertIn("| F1 % | exact match % | skimmed % |", text)
        self.assertIn("| 50.00 | 25.00 | 50.0 |", text)

    def test_names_the_models_that_a_row_builds_on(self):
        self.put_row("b", set="other", train={"start-from": "a"})
        self.put_row("c", train={"start-from": "a", "teacher": "a"})
        for name in ("b", "c"):
            run = stored_run(self.recipe(1, name))
            store_run(self.folder / "results", self.row(name), run, self.folder / "lock")
        self.store(1, 0.5)
        text = self.report()
        self.assertIn("`--start-from` the first seed's model of `a`", text)
        self.assertIn("`--start-from` the same seed's model of `a` `--teacher` the models of `a`", text)

    def test_peers_have_a_table_per_data_set(self):
        row = {"name": "fastText", "test_accuracy": 0.5, "model_bytes": 2_500_000,
               "microseconds": {"median": 1.25, "lower_quartile": 1.0, "upper_quartile": 2.0}}
        self.put("results/peers/texts.json", {"sets": {"tiny": {"run": {"machine": "M"}, "rows": [row]}}})
        text = self.report()
        self.assertIn("## Other text classifiers: tiny", text)
        self.assertIn("Commit unknown, M.", text)
        self.assertIn("| fastText | 50.00 | 1.2 | 1.0 to 2.0 | 2.5 |", text)
        del row["model_bytes"]
        self.put("results/peers/texts.json", {"sets": {"tiny": {"run": {}, "rows": [row]}}})
        self.assertFails(self.report, "texts.json", "model_bytes")
