"""The tables of the report."""
from typing import Iterable, Optional

from .document import Section, Table
from .rows import DataSet, Row, option_arguments
from .summary import RowSummary, Spread

# Position of the column for exact match: behind F1.
EXACT_MATCH = 4


def number(value: Optional[Spread], decimals: int, ending: str = "") -> str:
    return f"{value.mean:.{decimals}f}{ending}" if value else ""


def percent(value: Optional[float], decimals: int) -> str:
    return f"{100 * value:.{decimals}f}" if value is not None else ""


def accuracy(value: Optional[Spread]) -> str:
    """"91.20 (90.90 to 91.40)": the mean, and the range where seeds differ."""
    if not value:
        return ""
    text = percent(value.mean, 2)
    return f"{text} ({percent(value.low, 2)} to {percent(value.high, 2)})" if value.high > value.low else text


def factor(value: Optional[float]) -> str:
    return f"{value:.1f}x" if value is not None else ""


def result_cells(summary: RowSummary) -> list[str]:
    paper, rate = summary.row.paper, summary.at("test/skim_rate")
    times = ("test/flop_reduction/paper", "test/flop_reduction/counted", "test/flop_reduction/executed",
             "timing/speedup", "timing/reading_speedup")
    return [f"`{summary.row.name}`", summary.row.title, str(len(summary.runs)), accuracy(summary.at("test/accuracy")),
            percent(rate.mean, 1) if rate else "", *(number(summary.at(path), 2, "x") for path in times),
            number(summary.at("timing/microseconds/per_word"), 3),
            number(summary.at("timing/microseconds/per_text_p50"), 1), percent(paper.get("accuracy"), 1),
            percent(paper.get("skim_rate"), 1), factor(paper.get("flop_reduction")), factor(paper.get("speedup"))]


def result_section(data_set: DataSet, group: str, summaries: Iterable[RowSummary]) -> Section:
    """The rows of one group on one data set."""
    chosen = [one for one in summaries if (one.row.set, one.row.group) == (data_set.name, group)]
    metric = "F1" if any(one.metric == "F1" for one in chosen) else "accuracy"
    header = ["row", "method", "seeds", f"{metric} %", "skimmed %", "Flop-r", "counted", "executed", "speed-up",
              "without tokenization", "us per word", "us per text", f"paper: {metric}", "skimmed", "Flop-r", "speed-up"]
    rows = [result_cells(one) for one in chosen]
    if metric == "F1":
        header.insert(EXACT_MATCH, "exact match %")
        for cells, one in zip(rows, chosen):
            cells.insert(EXACT_MATCH, accuracy(one.at("test/exact_match")))
    return Section(data_set.title, table=Table(header, rows))


def result_sections(sets: Iterable[DataSet], summaries: list[RowSummary]) -> list[Section]:
    """The main table of each data set, and one on the effect of pretraining where that was measured."""
    sections = []
    for data_set in sets:
        main = result_section(data_set, "table", summaries)
        main.paragraphs = [data_set.note] if data_set.note else []
        pretraining = result_section(data_set, "pretraining", summaries)
        pretraining.heading += ": the effect of pretraining"
        pretraining.paragraphs = ["The same skim reader trained from scratch, after some steps of the dense reader, "
                                  "and after the dense reader's whole training."]
        sections += [section for section in (main, pretraining) if section.table.rows]
    return sections


def budget_section(summaries: Iterable[RowSummary]) -> Section:
    """What less work costs, from one trained model."""
    rows = []
    for summary in summaries:
        for run in summary.runs if summary.row.group != "ablation" else []:
            own = run["test"]["accuracy"]
            rows += [[f"`{summary.row.name}`", str(run["seed"]), f"{at['budget']:.2f}", f"{at['work']:.3f}",
                      percent(at["accuracy"], 2), percent(at["accuracy"] - own, 2), percent(at["skim_rate"], 1)]
                     for at in run.get("budgets", [])]
    header = ["row", "seed", "budget", "work on test", "accuracy %", "difference to threshold 0.5", "skimmed %"]
    return Section("Budgets", ["One trained model at several budgets on the test split: `--budget B` takes the "
                               "threshold that spent the share B of the dense reader's work on dev. Work is counted."],
                   Table(header, rows))


def built_on(summaries: list[RowSummary], row: Row) -> str:
    """Which models a row begins with and learns from."""
    sets = {one.row.name: one.row.set for one in summaries}
    text = ""
    if start := row.options.get("start-from"):
        which = "same" if sets.get(start, row.set) == row.set else "first"
        text += f" `--start-from` the {which} seed's model of `{start}`"
    if teacher := row.options.get("teacher"):
        text += f" `--teacher` the models of `{teacher}`"
    return text


def options_section(summaries: list[RowSummary]) -> Section:
    rows = [[f"`{one.row.name}`", f"`{' '.join(option_arguments(one.row.options))}`" + built_on(summaries, one.row)]
            for one in summaries]
    return Section("Options of each row", table=Table(["row", "`skim train` with"], rows))


def runs_section(summaries: Iterable[RowSummary]) -> Section:
    rows = [[f"`{one.row.name}`", str(run["seed"]), percent(run["dev"]["accuracy"], 2),
             percent(run["test"]["accuracy"], 2), percent(run["test"]["skim_rate"], 1), str(run["training"]["steps"]),
             f"{run['training']['seconds'] / 60:.1f}", run["commit"], run["date"]]
            for one in summaries for run in one.runs]
    header = ["row", "seed", "dev %", "test %", "skimmed %", "steps", "minutes", "commit", "date"]
    return Section("All runs", ["`reproduction/run run ROW --data DIR` repeats a row; the same seed, data and machine "
                                "give the same model, byte for byte. Options are those of `skim train`."],
                   Table(header, rows))
