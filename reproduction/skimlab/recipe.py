"""What a run depends on: options, seed, the contents of the data files, and the runs that it builds on."""
import dataclasses
import hashlib
import json
import pathlib

from .errors import LabError
from .fields import Json
from .rows import Row, Rows, start_seed

BLOCK = 1 << 20
DIGEST_DIGITS = 8


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Two runs with the same recipe are the same run."""
    options: Json
    seed: int
    data: Json  # SHA-256 of each data file; digest of each run that this one builds on
    teachers: list["Recipe"]  # one per seed of the teacher's row
    start: list["Recipe"]  # none, or the run whose model this one begins with

    def digest(self) -> str:
        """Eight hexadecimal digits that stand for the recipe in file names."""
        whole = {"options": self.options, "seed": self.seed, "data": self.data}
        canonical = json.dumps(whole, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:DIGEST_DIGITS]


class Checksums:
    """SHA-256 of files below a folder, each read once."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.known: dict[str, str] = {}

    def of(self, file: str) -> str:
        if file not in self.known:
            self.known[file] = sha256(self.folder / file)
        return self.known[file]


def sha256(path: pathlib.Path) -> str:
    total = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(BLOCK):
                total.update(block)
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}; --data names the folder of the data sets") from error
    return total.hexdigest()


def make_recipe(rows: Rows, row: Row, seed: int, checksums: Checksums) -> Recipe:
    recipe = Recipe(row.options, seed, {file: checksums.of(file) for file in rows.set_of(row).files()}, [], [])
    teacher, start = rows.named_by(row, "teacher"), rows.named_by(row, "start-from")
    for teacher_seed in teacher.seeds if teacher else []:
        add_needed(rows, teacher, teacher_seed, checksums, recipe, recipe.teachers)
    if start:
        add_needed(rows, start, start_seed(row, start, seed), checksums, recipe, recipe.start)
    return recipe


def add_needed(rows: Rows, other: Row, seed: int, checksums: Checksums, recipe: Recipe, into: list[Recipe]) -> None:
    needed = make_recipe(rows, other, seed, checksums)
    recipe.data[f"{other.name} seed {seed}"] = needed.digest()
    into.append(needed)
