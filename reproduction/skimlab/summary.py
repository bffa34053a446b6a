"""What the seeds of a row found, taken together."""
import dataclasses
import pathlib
from typing import Iterable, Optional

from .fields import Json, is_number
from .rows import Row
from .store import find_run_of_options, load_result


@dataclasses.dataclass(frozen=True)
class Spread:
    mean: float
    low: float
    high: float


def number_at(run: Json, path: str) -> Optional[float]:
    """The number at "test/flop_reduction/paper", if the run has one."""
    value = run
    for key in path.split("/"):
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value if is_number(value) else None


def spread(runs: Iterable[Json], path: str) -> Optional[Spread]:
    """Over the runs that have a number at `path`."""
    values = [value for run in runs if (value := number_at(run, path)) is not None]
    if not values:
        return None
    return Spread(sum(value / len(values) for value in values), min(values), max(values))


@dataclasses.dataclass(frozen=True)
class RowSummary:
    row: Row
    runs: list[Json]  # of the row as it is now: runs with other options do not count

    def at(self, path: str) -> Optional[Spread]:
        return spread(self.runs, path)

    @property
    def metric(self) -> str:
        return "F1" if self.at("test/f1") else "accuracy"


def summarize(rows: Iterable[Row], results: pathlib.Path) -> list[RowSummary]:
    """Of all rows that have been run."""
    found = []
    for row in rows:
        result = load_result(results, row)
        runs = [run for seed in row.seeds if (run := find_run_of_options(result, row, seed))]
        if runs:
            found.append(RowSummary(row, runs))
    return found
