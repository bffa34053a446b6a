"""One run of a row: a training, one evaluation on test, and timing."""
import dataclasses
import json
import os
import pathlib
from typing import Iterator

from .errors import LabError
from .fields import Json, load_object, require
from .programs import commit, run_to_end, skim_json, tidy, today
from .recipe import Recipe
from .rows import DataSet, Row, Rows, option_arguments
from .store import write_atomically

# Enough for a steady ratio on 25,000 reviews, short enough for a hundred rows.
TIMING_SECONDS = 4


@dataclasses.dataclass(frozen=True)
class Workspace:
    data: pathlib.Path  # the data sets
    work: pathlib.Path  # models, checkpoints and logs; kept, so that a stopped run resumes
    skim: str  # the program; skim-train stands beside it
    threads: int = 1  # per training
    quiet: bool = False


def model_path(workspace: Workspace, row: Row, recipe: Recipe) -> pathlib.Path:
    """The name holds the recipe's digest, so that a changed row never meets an old model."""
    return workspace.work / f"{row.name}-{recipe.seed}-{recipe.digest()}.skim"


def beside(path: pathlib.Path, suffix: str) -> pathlib.Path:
    return path.with_name(path.name + suffix)


def train_command(workspace: Workspace, rows: Rows, row: Row, recipe: Recipe) -> list[str]:
    data_set, out = rows.set_of(row), model_path(workspace, row, recipe)
    command = [workspace.skim, "train"]
    for option, file in [("train", file) for file in data_set.train] + [("dev", data_set.dev)]:
        command += [f"--{option}", str(workspace.data / file)] if file else []
    # Never those of the built-in model: a stored run must not change when that model does.
    command += ["--embeddings", str(workspace.data / data_set.embeddings) if data_set.embeddings else "none"]
    # Nor does any row have subwords, unless it says so.
    command += option_arguments({"buckets": 0} | row.options)
    for option, needed in (("teacher", recipe.teachers), ("start-from", recipe.start)):
        for other in needed:
            command += [f"--{option}", str(model_path(workspace, rows.named_by(row, option), other))]
    command += ["--seed", str(recipe.seed), "--out", str(out), "--log", str(beside(out, ".log")),
                "--threads", str(workspace.threads), "--json"]
    command += ["--quiet"] if workspace.quiet else []
    return command + (["--resume"] if beside(out, ".checkpoint").exists() else [])


def train_run(workspace: Workspace, rows: Rows, row: Row, recipe: Recipe) -> bool:
    """Trains unless the model exists, resuming from a checkpoint if there is one. False when a signal stopped the
    training: the next call resumes it. The models that the run builds on must exist."""
    model = model_path(workspace, row, recipe)
    summary = beside(model, ".json")
    if (model.exists() and summary.exists()) or link_same_training(workspace, model, recipe):
        return True
    status, output = run_to_end(train_command(workspace, rows, row, recipe))
    if status == 0:
        write_atomically(summary, output)
        return True
    if beside(model, ".checkpoint").exists():
        return False
    raise LabError(f"{row.name}: training failed; its message stands above")


def link_same_training(workspace: Workspace, model: pathlib.Path, recipe: Recipe) -> bool:
    """Two rows may describe the same training; the second one takes the first one's files."""
    for other in workspace.work.glob(f"*-{recipe.seed}-{recipe.digest()}.skim"):
        if not beside(other, ".json").exists():
            continue
        for suffix in ("", ".json", ".log"):
            if beside(other, suffix).exists() and not beside(model, suffix).exists():
                os.link(beside(other, suffix), beside(model, suffix))
        return True
    return False


def training_summary(model: pathlib.Path) -> Json:
    path = beside(model, ".json")
    summary = load_object(path)
    for key in ("steps", "best_step", "seconds", "dev_accuracy", "dev_skim_rate"):
        require(summary, key, float, str(path))
    return summary


def dev_evaluations(model: pathlib.Path) -> list[Json]:
    """Every evaluation on dev during training; none when the log is gone."""
    log = beside(model, ".log")
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [{"step": entry.get("step", 0), "accuracy": tidy(entry.get("dev_accuracy", 0)),
             "skim_rate": tidy(entry.get("dev_skim_rate", 0))} for entry in parsed(lines)]


def parsed(lines: list[str]) -> Iterator[Json]:
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def score(report: Json) -> Json:
    """Tables and figures find the primary metric as "accuracy"; for answers that are spans that is F1."""
    if "f1" not in report:
        return {"accuracy": report["accuracy"]}
    return {"accuracy": report["f1"], "exact_match": report["exact_match"], "f1": report["f1"]}


def measured(report: Json) -> Json:
    found = score(report) | {key: report[key] for key in ("skim_rate", "work", "flop_reduction")}
    return found | ({"passes": report["passes"]} if "passes" in report else {})


def evaluate_run(workspace: Workspace, row: Row, data_set: DataSet, recipe: Recipe) -> Json:
    """Reads the test split with the model at its own threshold, at the row's budgets and thresholds. Times nothing."""
    model, test = model_path(workspace, row, recipe), workspace.data / data_set.test
    common = [test, "--model", model, "--threads", 1, "--quiet"]
    training = training_summary(model)
    report = skim_json(workspace.skim, "eval", *common, "--no-speed")
    run = describe_run(recipe, training, dev_evaluations(model), report)
    if row.budgets:
        reports = [skim_json(workspace.skim, "eval", *common, "--no-speed", "--budget", budget)
                   for budget in row.budgets]
        run["budgets"] = [at_budget(report, budget) for report, budget in zip(reports, row.budgets)]
    if row.sweep:
        rows = skim_json(workspace.skim, "sweep", *common)["rows"]
        run["thresholds"] = [{"threshold": at["threshold"], "skim_rate": at["skim_rate"], "work": at["work"],
                              "flop_reduction": at["flop_reduction"], **score(at)} for at in rows]
    return run


def at_budget(report: Json, budget: float) -> Json:
    return {"budget": budget, "threshold": report["threshold"], **measured(report)}


def describe_run(recipe: Recipe, training: Json, evaluations: list[Json], report: Json) -> Json:
    run = {"seed": recipe.seed, "options": recipe.options, "data": recipe.data, "commit": commit(),
           "version": report["version"], "machine": report["machine"], "date": today(),
           "training": {"steps": training["steps"], "best_step": training["best_step"],
                        "seconds": tidy(training["seconds"])},
           "dev": {"accuracy": tidy(training["dev_accuracy"]), "skim_rate": tidy(training["dev_skim_rate"]),
                   "evaluations": evaluations},
           "test": measured(report) | {"examples": report["examples"], "words": report["words"]}}
    if "flops_per_word" in report:
        run["test"]["flops_per_word"] = report["flops_per_word"]
    return run


def time_run(workspace: Workspace, row: Row, data_set: DataSet, recipe: Recipe) -> Json:
    """Times the model on the test texts against the dense reader of its size, for run["timing"]."""
    report = skim_json(workspace.skim, "eval", workspace.data / data_set.test, "--model",
                       model_path(workspace, row, recipe), "--threads", 1, "--quiet", "--seconds", TIMING_SECONDS)
    took = report["microseconds"]
    kept = ("per_word", "dense_per_word", "tokenization_per_word", "per_text_p50", "per_text_p99")
    return {"speedup": report["speedup"], "reading_speedup": report["reading_speedup"],
            "microseconds": {key: took[key] for key in kept}, "texts": took["texts_timed"], "commit": commit(),
            "machine": report["machine"], "date": today()}
