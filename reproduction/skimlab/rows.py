"""The rows of the tables and figures: one small JSON file per row and one per data set."""
import dataclasses
import pathlib
from typing import Any, Optional

from .errors import LabError
from .fields import Json, is_number, load_object, only_fields, require

# Options of `skim train` whose value here is the name of a row instead of a file.
ROW_OPTIONS = ("teacher", "start-from")
# Chosen by the queue, not by a row.
QUEUE_OPTIONS = ("train", "dev", "test", "embeddings", "out", "seed", "log", "json", "resume", "quiet", "checkpoint",
                 "checkpoint-seconds", "threads")
LARGEST_SEED = 1_000_000_000


@dataclasses.dataclass(frozen=True)
class DataSet:
    """sets/NAME.json. Paths are relative to the folder that --data names."""
    name: str
    title: str
    note: str
    train: list[str]
    dev: str
    test: str
    embeddings: str
    options: Json

    def files(self) -> list[str]:
        return [file for file in (*self.train, self.dev, self.test, self.embeddings) if file]


@dataclasses.dataclass(frozen=True)
class Row:
    """rows/NAME.json: a data set, options of `skim train`, seeds, and what the paper reports (shares as fractions)."""
    name: str
    title: str
    set: str
    group: str  # rows of one group form one table or figure
    seeds: list[int]
    options: Json  # those of the data set, overridden by the row's own
    sweep: bool  # whether accuracy is also measured at many thresholds
    budgets: list[float]  # shares of the dense reader's work at which accuracy is also measured
    paper: dict[str, float]


@dataclasses.dataclass(frozen=True)
class Rows:
    """All rows and data sets of a folder, by name."""
    sets: dict[str, DataSet]
    rows: dict[str, Row]

    def set_of(self, row: Row) -> DataSet:
        return self.sets[row.set]

    def named_by(self, row: Row, option: str) -> Optional[Row]:
        """The row that `teacher` or `start-from` names, if any."""
        return self.rows.get(row.options.get(option, ""))


def start_seed(row: Row, start: Row, seed: int) -> int:
    """The seed of `start` whose model a run of `row` begins with: its own; for a row on other data, the first."""
    return seed if start.set == row.set else start.seeds[0]


def option_arguments(options: Json) -> list[str]:
    """{"gamma": 0.01, "bidirectional": true} as --gamma 0.01 --bidirectional; options that name a row are left out."""
    arguments: list[str] = []
    for name, value in options.items():
        if name in ROW_OPTIONS or value is False:
            continue
        arguments += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return arguments


def load_rows(folder: pathlib.Path) -> Rows:
    sets = {path.stem: load_set(path) for path in json_files(folder / "sets")}
    rows = {path.stem: load_row(path, sets) for path in json_files(folder / "rows")}
    loaded = Rows(sets, rows)
    for row in rows.values():
        for option in ROW_OPTIONS:
            check_named_row(loaded, row, option, folder)
        check_start_seeds(loaded, row, folder)
    return loaded


def json_files(folder: pathlib.Path) -> list[pathlib.Path]:
    if not folder.is_dir():
        raise LabError(f"{folder}: no such folder; name the folder that holds rows/ and sets/ with --rows DIR")
    return sorted(folder.glob("*.json"))


def load_set(path: pathlib.Path) -> DataSet:
    json, where = load_object(path), f"{path}: set"
    only_fields(json, ("title", "note", "train", "dev", "test", "embeddings", "options"), where)
    train = require(json, "train", list, where)
    if not train or not all(isinstance(file, str) for file in train):
        raise LabError(f"{where}.train: expected an array of at least one file name")
    return DataSet(path.stem, require(json, "title", str, where), text(json, "note", where), train,
                   text(json, "dev", where), require(json, "test", str, where), text(json, "embeddings", where),
                   train_options(json, "options", where))


def load_row(path: pathlib.Path, sets: dict[str, DataSet]) -> Row:
    json, where = load_object(path), f"{path}: row"
    only_fields(json, ("title", "set", "group", "seeds", "train", "sweep", "budgets", "paper"), where)
    set_name = require(json, "set", str, where)
    if set_name not in sets:
        raise LabError(f"{where}.set: there is no sets/{set_name}.json")
    options = {**sets[set_name].options, **train_options(json, "train", where)}
    return Row(path.stem, require(json, "title", str, where), set_name, text(json, "group", where, "table"),
               seeds(json, where), options, bool(json.get("sweep", False)), shares(json, "budgets", where),
               published(json, where))


def text(json: Json, key: str, where: str, default: str = "") -> str:
    return require(json, key, str, where) if key in json else default


def train_options(json: Json, key: str, where: str) -> Json:
    options = require(json, key, dict, where) if key in json else {}
    for name, value in options.items():
        if name in QUEUE_OPTIONS:
            raise LabError(f"{where}.{key}.{name} is chosen when the row is run, not in its file")
        if not isinstance(value, (str, bool)) and not is_number(value):
            raise LabError(f"{where}.{key}.{name}: expected a string, a number, true or false")
    return options


def seeds(json: Json, where: str) -> list[int]:
    found = require(json, "seeds", list, where)
    if not found or not all(type(seed) is int and 0 <= seed <= LARGEST_SEED for seed in found):
        raise LabError(f"{where}.seeds: expected at least one whole number from 0 to {LARGEST_SEED}")
    return found


def shares(json: Json, key: str, where: str) -> list[float]:
    found: list[Any] = require(json, key, list, where) if key in json else []
    if not all(is_number(share) and 0 <= share <= 1 for share in found):
        raise LabError(f"{where}.{key}: expected numbers from 0 to 1")
    return found


def published(json: Json, where: str) -> dict[str, float]:
    paper = require(json, "paper", dict, where) if "paper" in json else {}
    only_fields(paper, ("accuracy", "skim_rate", "flop_reduction", "speedup"), f"{where}.paper")
    return {key: require(paper, key, float, f"{where}.paper") for key in paper}


def builds_on(rows: Rows, row: Row, other: Row, depth: int = 0) -> bool:
    """Whether the models of `row` need those of `other`, directly or through further rows."""
    needed = [found for option in ROW_OPTIONS if (found := rows.named_by(row, option))]
    return any(found is other or depth > len(rows.rows) or builds_on(rows, found, other, depth + 1) for found in needed)


def check_named_row(rows: Rows, row: Row, option: str, folder: pathlib.Path) -> None:
    if option not in row.options:
        return
    where = f"{folder / 'rows' / row.name}.json: row.train.{option}"
    other = rows.named_by(row, option)
    if other is None:
        raise LabError(f"{where}: expected the name of another row, got {row.options[option]!r}")
    if option == "teacher" and other.set != row.set:
        raise LabError(f"{where}: {other.name} is not on the same data")
    if other is row or builds_on(rows, other, row):
        raise LabError(f"{where}: {row.name} would build on itself")


def check_start_seeds(rows: Rows, row: Row, folder: pathlib.Path) -> None:
    start = rows.named_by(row, "start-from")
    for seed in row.seeds:
        if start and start.set == row.set and seed not in start.seeds:
            raise LabError(f"{folder / 'rows' / row.name}.json: row.train.start-from: {start.name} has no seed {seed}")
