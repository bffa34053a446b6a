"""Which charts are made of which runs."""
import json
import pathlib
import unittest

from skimlab.errors import LabError
from skimlab.figures import report_charts, speed_chart, sweep_charts
from skimlab.rows import Row
from skimlab.summary import RowSummary, spread

NOWHERE = pathlib.Path("no-such-folder")


def summary(name, options, accuracy=0.5, group=""):
    row = Row(name, name, "tiny", group, [1], options, False, [], {})
    return RowSummary(row, [{"seed": 1, "test": {"accuracy": accuracy, "skim_rate": 0.5}, "dev": {}}])


class Spreads(unittest.TestCase):
    def test_takes_the_runs_that_have_the_number(self):
        runs = [{"test": {"accuracy": 0.5}}, {"test": {"accuracy": 1.0}}, {"test": 3}]
        found = spread(runs, "test/accuracy")
        self.assertEqual((found.mean, found.low, found.high), (0.75, 0.5, 1.0))
        self.assertIsNone(spread(runs, "test/speed"))


class Figures(unittest.TestCase):
    def test_join_rows_that_differ_in_one_option_alone(self):
        rows = [summary("b", {"gamma": 0.02, "skim-size": 20}, 0.75), summary("a", {"skim-size": 5, "gamma": 0.02}),
                summary("c", {"gamma": 0.02, "skim-size": "50"}, 1.0),
                summary("d", {"gamma": 0.5, "skim-size": 10}, 0.0)]
        charts = report_charts(rows, NOWHERE)
        self.assertEqual([chart.file for chart in charts], ["skim-size-accuracy", "skim-size-skimmed"],
                         "gamma has no three rows")
        self.assertEqual(charts[0].series[0].points, [(5, 0.5), (20, 0.75), (50, 1.0)])

    def test_show_each_layer_by_gamma(self):
        rows = [summary("g", {"gamma": gamma}) for gamma in (0.05, 0.1, 0.2)]
        for one, rate in zip(rows, (0.05, 0.1, 0.2)):
            one.runs[0]["test"]["passes"] = [{"reader": "0.forward", "skim_rate": rate},
                                             {"reader": "0.backward", "skim_rate": 0.5}]
        charts = report_charts(rows, NOWHERE)
        self.assertEqual(len(charts), 3, "accuracy, skim rate and passes by gamma")
        self.assertEqual([series.name for series in charts[2].series], ["0.forward", "0.backward"])
        self.assertEqual(charts[2].series[0].points[2], (0.2, 0.2))

    def test_show_the_effect_of_pretraining(self):
        rows = [summary("none", {"skim-size": 5}, group="pretraining"),
                summary("half", {"skim-size": 5, "start-from": "dense"}, group="pretraining")]
        for one in rows:
            one.runs[0]["dev"]["evaluations"] = [{"step": 500, "accuracy": 0.25, "skim_rate": 0.75},
                                                 {"step": 1000, "accuracy": 0.5, "skim_rate": 1.0}]
            one.runs[0]["test"]["passes"] = [{"reader": "0.forward", "skim_rate": 0.125},
                                             {"reader": "0.backward", "skim_rate": 0.5}]
        accuracy, skimmed, passes = report_charts(rows, NOWHERE)
        self.assertEqual([series.name for series in accuracy.series], ["none", "half"])
        self.assertEqual(accuracy.series[0].points[1], (1000, 0.5))
        self.assertEqual(skimmed.series[0].points[0], (500, 0.75))
        self.assertEqual(passes.series[1].points, [(1, 0.125), (2, 0.5)])

    def test_show_cost_where_sizes_differ(self):
        rows = [summary("big", {"reader": "dense"}, 0.75, "table"),
                summary("little", {"reader": "dense", "hidden-size": 50}, 0.5, "table"),
                summary("skim", {"skim-size": 5}, 0.7, "table")]
        for i, one in enumerate(rows):
            one.runs[0]["test"]["flops_per_word"] = 4000.0 - 1000 * i
        (chart,) = report_charts(rows, NOWHERE)
        self.assertEqual([series.name for series in chart.series], ["dense", "skim"])
        self.assertEqual(chart.series[0].points, [(3, 0.5), (4, 0.75)], "the cheapest comes first")
        self.assertEqual(chart.series[0].line, "none")

    def test_thresholds_leave_out_the_one_that_reads_nothing(self):
        one = summary("t", {})
        one.runs[0]["thresholds"] = [{"threshold": at, "accuracy": 0.5, "flop_reduction": {"counted": 2.0}}
                                     for at in (0.5, 1.0)]
        (chart,) = report_charts([one], NOWHERE)
        self.assertEqual(chart.series[0].points, [(2.0, 0.5)])


class Plots(unittest.TestCase):
    BENCH = [{"hidden_size": 100, "skim_size": 10, "skim_rate": 0.5, "speedup": 1.8,
              "flop_reduction": {"executed": 2.0}}]

    def test_a_bench_has_its_bound_beside_it(self):
        chart = speed_chart(self.BENCH, "bench.json")
        self.assertEqual([(series.points, series.line) for series in chart.series],
                         [([(0.5, 1.8)], "solid"), ([(0.5, 2.0)], "dashed")])

    def test_a_sweep_has_a_second_line_when_it_was_timed(self):
        row = {"threshold": 0.5, "accuracy": 0.9, "skim_rate": 0.8, "flop_reduction": {"counted": 4.0}}
        trade, rate = sweep_charts({"rows": [row]}, "x")
        self.assertEqual((len(trade.series), rate.series[0].points), (1, [(0.5, 0.8)]))
        self.assertEqual(len(sweep_charts({"rows": [row | {"speedup": 3.0}]}, "x")[0].series), 2)

    def test_another_file_is_an_error_that_names_it(self):
        for make, found in ((speed_chart, [{"hidden_size": 1}]), (speed_chart, 3), (sweep_charts, {"rows": []}),
                            (sweep_charts, json.loads("{}"))):
            with self.subTest(found), self.assertRaisesRegex(LabError, "x.json: expected what `skim"):
                make(found, "x.json")
