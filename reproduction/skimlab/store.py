"""What was found: one JSON file per row in results/, with one run per seed."""
import contextlib
import fcntl
import json
import os
import pathlib
import tempfile
from typing import Iterator, Optional

from .fields import Json, load_object, require
from .recipe import Recipe
from .rows import Row

# The numbers that tables and figures rely on, per part of a run.
NUMBERS = {"machine": ("cores",), "training": ("steps", "seconds"), "dev": ("accuracy",),
           "test": ("accuracy", "skim_rate")}
LISTS = {"budgets": ("budget", "work", "accuracy", "skim_rate"), "thresholds": ("accuracy",)}


def result_path(folder: pathlib.Path, row: Row) -> pathlib.Path:
    return folder / f"{row.name}.json"


def load_result(folder: pathlib.Path, row: Row) -> Json:
    """The stored result of a row; without runs if there is none yet."""
    path = result_path(folder, row)
    if not path.exists():
        return {"row": row.name, "runs": []}
    result = load_object(path)
    for run in require(result, "runs", list, f"{path}: result"):
        check_run(run, f"{path}: run")
    return result


def check_run(run: Json, where: str) -> None:
    require(run, "seed", float, where)
    for key, expected in (("options", dict), ("data", dict), ("commit", str), ("date", str)):
        require(run, key, expected, where)
    for part, numbers in NUMBERS.items():
        found = require(run, part, dict, where)
        for number in numbers:
            require(found, number, float, f"{where}.{part}")
    for key in ("cpu", "simd"):
        require(run["machine"], key, str, f"{where}.machine")
    for key, numbers in LISTS.items():
        check_list(run, key, numbers, where)
    check_list(run["dev"], "evaluations", ("step", "accuracy", "skim_rate"), f"{where}.dev")
    check_list(run["test"], "passes", ("skim_rate",), f"{where}.test")
    for one in run["test"].get("passes", []):
        require(one, "reader", str, f"{where}.test.passes")
    for at in run.get("thresholds", []):
        reduction = require(at, "flop_reduction", dict, f"{where}.thresholds")
        require(reduction, "counted", float, f"{where}.thresholds.flop_reduction")


def check_list(holder: Json, key: str, numbers: tuple[str, ...], where: str) -> None:
    for item in require(holder, key, list, where) if key in holder else []:
        for number in numbers:
            require(item, number, float, f"{where}.{key}")


def find_run(result: Json, recipe: Recipe) -> Optional[Json]:
    """The run of this recipe. A run of the same seed with another recipe is not it."""
    for run in result["runs"]:
        if (run["seed"], run["options"], run["data"]) == (recipe.seed, recipe.options, recipe.data):
            return run
    return None


def find_run_of_options(result: Json, row: Row, seed: int) -> Optional[Json]:
    """The run of this seed and the row's options, whatever the data: for those who have only the result."""
    return next((run for run in result["runs"] if (run["seed"], run["options"]) == (seed, row.options)), None)


def store_run(folder: pathlib.Path, row: Row, run: Json, lock: pathlib.Path) -> None:
    """Puts a run into the row's result in place of the one with its seed. `lock` excludes other processes."""
    with locked(lock, wait=True):
        result = load_result(folder, row)
        runs = [old for old in result["runs"] if old["seed"] != run["seed"]] + [run]
        runs.sort(key=lambda one: one["seed"])
        result |= {"title": row.title, "set": row.set, "runs": runs}
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(result_path(folder, row), json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def write_atomically(path: pathlib.Path, content: str) -> None:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=".", delete=False) as file:
        file.write(content)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


@contextlib.contextmanager
def locked(path: pathlib.Path, wait: bool) -> Iterator[bool]:
    """Holds a lock file; yields False when another process holds it and `wait` is False."""
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
