"""The figures of the report, as charts."""
import collections
import json
import pathlib
from typing import Any, Callable, Iterable

from .charts import Axis, Chart, Point, Series
from .errors import LabError
from .fields import Json
from .summary import RowSummary

GAMMA = "gamma, the weight of the skim loss"
SKIM_SIZE = "d', the skim size (units of the small cell)"
SKIMMED = Axis("words skimmed", "%")


def option_number(value: Any) -> float:
    """Options may be numbers or texts such as "20,5", whose first number counts."""
    try:
        return float(str(value).split(",")[0])
    except ValueError:
        return 0.0


def families(summaries: Iterable[RowSummary], option: str) -> list[list[RowSummary]]:
    """Rows of one data set that differ in this option alone, by rising value; families of at least three."""
    by_rest: dict[str, list[RowSummary]] = collections.defaultdict(list)
    for summary in summaries:
        options = summary.row.options
        if option in options:
            rest = {name: value for name, value in options.items() if name != option}
            by_rest[summary.row.set + json.dumps(rest, sort_keys=True)].append(summary)
    found = [family for _, family in sorted(by_rest.items()) if len(family) >= 3]
    return [sorted(family, key=lambda one: option_number(one.row.options[option])) for family in found]


def effect_chart(summaries: list[RowSummary], option: str, x: Axis, file: str, path: str, y: str) -> list[Chart]:
    """How one measure depends on one option."""
    chart = Chart(file, f"{y} and {x.label}", x, Axis(y, "%"))
    for family in families(summaries, option):
        points = [(option_number(one.row.options[option]), value.mean) for one in family if (value := one.at(path))]
        chart.add(family[0].row.set, [point for point in points if point[0] > 0 or not x.logarithmic])
    return [chart] if chart.series else []


def effect_charts(summaries: list[RowSummary]) -> list[Chart]:
    charts = []
    for option, x, name in (("skim-size", Axis(SKIM_SIZE), "skim-size"), ("gamma", Axis(GAMMA, "", True), "gamma")):
        charts += effect_chart(summaries, option, x, f"{name}-accuracy", "test/accuracy", "Accuracy")
        charts += effect_chart(summaries, option, x, f"{name}-skimmed", "test/skim_rate", "Words skimmed")
    return charts


def pass_charts(summaries: list[RowSummary]) -> list[Chart]:
    """How much each layer and direction skims, by gamma."""
    charts = []
    for family in families(summaries, "gamma"):
        row = family[0].row
        chart = Chart(f"passes-{row.name}", f"Words skimmed per layer and direction: {row.set}",
                      Axis(GAMMA, "", True), SKIMMED)
        for summary in family:
            gamma = option_number(summary.row.options["gamma"])
            for i, one in enumerate(summary.runs[0]["test"].get("passes", [])):
                if i == len(chart.series):
                    chart.add(one["reader"], [])
                chart.series[i].points.append((gamma, one["skim_rate"]))
        charts += [chart] if chart.series else []
    return charts


def evaluation_points(run: Json, measure: str) -> list[Point]:
    return [(one["step"], one[measure]) for one in run["dev"].get("evaluations", [])]


def pass_points(run: Json) -> list[Point]:
    return [(i + 1, one["skim_rate"]) for i, one in enumerate(run["test"].get("passes", []))]


def pretraining_charts(summaries: list[RowSummary]) -> list[Chart]:
    """Skim readers trained from scratch, after some dense training, and after all of it."""
    steps = Axis("training steps with skimming")
    layers = Axis("pass: forward and backward in the first layer, then in the next")
    kinds: list[tuple[str, str, Axis, Axis, Callable[[Json], list[Point]]]] = [
        ("accuracy", "F1 or accuracy on dev by pretraining", steps, Axis("F1 or accuracy on dev", "%"),
         lambda run: evaluation_points(run, "accuracy")),
        ("skimmed", "Words skimmed on dev by pretraining", steps, SKIMMED,
         lambda run: evaluation_points(run, "skim_rate")),
        ("passes", "Words skimmed per pass of the net, by pretraining", layers, SKIMMED, pass_points)]
    charts: list[Chart] = []
    for file, title, x, y, points in kinds:
        by_set: dict[str, Chart] = {}
        for summary in summaries:
            found = points(summary.runs[0]) if summary.row.group == "pretraining" else []
            if len(found) >= 2:
                name = summary.row.set
                chart = by_set.setdefault(name, Chart(f"pretraining-{name}-{file}", f"{title}: {name}", x, y))
                chart.add(summary.row.title, found)
        charts += [chart for _, chart in sorted(by_set.items())]
    return charts


def cost_charts(summaries: list[RowSummary]) -> list[Chart]:
    """Cost and accuracy of models of every size and method, for data sets with several sizes."""
    by_set: dict[str, dict[str, list[Point]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    sizes: dict[str, set[str]] = collections.defaultdict(set)
    metrics: dict[str, str] = {}
    for summary in summaries:
        flops, options = summary.at("test/flops_per_word"), summary.row.options
        if summary.row.group != "table" or not flops:
            continue
        name = "bidaf" if options.get("task") == "bidaf" else summary.row.set
        sizes[name].add(str(options.get("hidden-size")))
        metrics[name] = summary.metric
        by_set[name][options.get("reader", "skim")].append((flops.mean / 1000, summary.at("test/accuracy").mean))
    charts = []
    for name, readers in sorted(by_set.items()):
        chart = Chart(f"cost-{name}", f"Cost and {metrics[name]} per model: {name}",
                      Axis("thousand multiply-adds per word (counted)", "", True), Axis(metrics[name], "%"))
        for reader, points in sorted(readers.items()):
            chart.add(reader, sorted(points), "none")
        charts += [chart] if len(sizes[name]) >= 2 else []
    return charts


def threshold_charts(summaries: list[RowSummary]) -> list[Chart]:
    """Accuracy against work by threshold, one seed per row: enough to see the shape."""
    charts: dict[str, Chart] = {}
    for summary in summaries:
        run = next((run for run in summary.runs if "thresholds" in run), None)
        if run is None or summary.row.group == "ablation":
            continue
        name = summary.row.set
        chart = charts.setdefault(name, Chart(f"threshold-{name}", f"Accuracy against work, by threshold: {name}",
                                              Axis("times less work (counted)", "x", True), Axis(summary.metric, "%")))
        # At threshold 1 nothing is read: with a small cell of no units that point lies so far away that it would
        # squeeze all others into a corner.
        points = [(at["flop_reduction"]["counted"], at["accuracy"]) for at in run["thresholds"] if at["threshold"] < 1]
        chart.add(f"{summary.row.title}, seed {run['seed']}", points)
    return [chart for _, chart in sorted(charts.items())]


def speed_chart(rows: Any, where: str) -> Chart:
    """Measured speed-up by skim rate from `skim bench --json`, with the bound that the executed operations set."""
    chart = Chart("speed", "Speed-up by share of words skimmed", SKIMMED,
                  Axis("times faster than the dense reader", "x", True))
    sizes: dict[tuple[int, int], tuple[list[Point], list[Point]]] = {}
    try:
        for row in rows:
            measured, bound = sizes.setdefault((row["hidden_size"], row["skim_size"]), ([], []))
            measured.append((row["skim_rate"], row["speedup"]))
            bound.append((row["skim_rate"], row["flop_reduction"]["executed"]))
    except (KeyError, TypeError) as error:
        raise LabError(f"{where}: expected what `skim bench --json` prints") from error
    for color, ((hidden, skim), (measured, bound)) in enumerate(sorted(sizes.items())):
        chart.series += [Series(f"d = {hidden}, d' = {skim}, measured", measured, "solid", color),
                         Series("bound by operations", bound, "dashed", color)]
    return chart


def sweep_charts(sweep: Json, where: str) -> list[Chart]:
    """The trade-off of one model from `skim sweep --json`."""
    try:
        rows = sweep["rows"]
        metric = "f1" if "f1" in rows[0] else "accuracy"
        counted = [(row["flop_reduction"]["counted"], row[metric]) for row in rows]
        timed = [(row["speedup"], row[metric]) for row in rows if "speedup" in row]
        rates = [(row["threshold"], row["skim_rate"]) for row in rows]
    except (KeyError, TypeError, IndexError) as error:
        raise LabError(f"{where}: expected what `skim sweep --json` prints") from error
    name = {"f1": "F1"}.get(metric, metric)
    trade = Chart("sweep-work", f"{name[0].upper()}{name[1:]} against work saved, one point per threshold",
                  Axis("times less work than the dense reader", "x", True), Axis(name, "%"))
    trade.add("multiply-adds saved (counted)", counted)
    if timed:
        trade.add("measured speed-up", timed)
    rate = Chart("sweep-skimmed", "Words skimmed by threshold",
                 Axis("threshold: a word is read when p_read is above"), SKIMMED)
    rate.add("skim rate", rates)
    return [trade, rate]


def report_charts(summaries: list[RowSummary], results: pathlib.Path) -> list[Chart]:
    charts = effect_charts(summaries)
    for make in (pass_charts, pretraining_charts, cost_charts, threshold_charts):
        charts += make(summaries)
    bench = results / "speed" / "bench.json"
    if bench.exists():
        charts.append(speed_chart(json.loads(bench.read_text(encoding="utf-8")), str(bench)))
    return charts
