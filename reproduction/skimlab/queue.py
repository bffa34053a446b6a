"""The queue of runs: trains and evaluates what is missing, times what has been run. Several processes may share it."""
import dataclasses
import difflib
import enum
import fnmatch
import pathlib
import sys
from typing import Iterable, Iterator, Optional

from .busy import busy_processors
from .errors import LabError
from .fields import Json
from .recipe import Checksums, Recipe, make_recipe
from .rows import Row, Rows
from .run import Workspace, beside, evaluate_run, model_path, time_run, train_run
from .store import find_run, load_result, locked, store_run

# Others may keep this many processors busy while something is timed.
IDLE_LIMIT = 0.1


class State(enum.Enum):
    STORED = "stored"  # the result has this run already
    DONE = "done"
    ELSEWHERE = "elsewhere"  # another process works on it
    STOPPED = "stopped"  # a signal stopped the training; it resumes with the next call


@dataclasses.dataclass(frozen=True)
class Part:
    """A row and one of its seeds."""
    row: Row
    recipe: Recipe

    @property
    def name(self) -> str:
        return f"{self.row.name} seed {self.recipe.seed}"


@dataclasses.dataclass(frozen=True)
class Queue:
    rows: Rows
    workspace: Workspace
    results: pathlib.Path

    @property
    def results_lock(self) -> pathlib.Path:
        return self.workspace.work / "results.lock"

    def note(self, message: str) -> None:
        if not self.workspace.quiet:
            print(message, file=sys.stderr, flush=True)


def choose_rows(rows: Rows, patterns: list[str]) -> list[Row]:
    """Rows by name; a pattern may hold the wildcards of the shell. Without patterns: all."""
    if not patterns:
        return list(rows.rows.values())
    chosen: dict[str, Row] = {}
    for pattern in patterns:
        names = fnmatch.filter(rows.rows, pattern)
        if not names:
            meant = difflib.get_close_matches(pattern, rows.rows, 1)
            hint = f"did you mean '{meant[0]}'? " if meant else ""
            raise LabError(f"there is no row '{pattern}'; {hint}`reproduction/run list` names them")
        chosen |= {name: rows.rows[name] for name in names}
    return list(chosen.values())


def parts(queue: Queue, rows: Iterable[Row]) -> Iterator[Part]:
    checksums = Checksums(queue.workspace.data)
    for row in rows:
        for seed in row.seeds:
            yield Part(row, make_recipe(queue.rows, row, seed, checksums))


def needed_parts(rows: Rows, part: Part) -> list[Part]:
    """The runs whose models this one builds on."""
    teacher, start = rows.named_by(part.row, "teacher"), rows.named_by(part.row, "start-from")
    return [Part(teacher, one) for one in part.recipe.teachers] + [Part(start, one) for one in part.recipe.start]


def train_needed(queue: Queue, part: Part) -> bool:
    """Trains the models that a part builds on, or waits for the process that does. False when stopped by a signal."""
    for other in needed_parts(queue.rows, part):
        if not train_needed(queue, other):
            return False
        model = model_path(queue.workspace, other.row, other.recipe)
        with locked(beside(model, ".lock"), wait=True):
            if not model.exists():
                queue.note(f"{other.name}: training, needed by {part.row.name}")
            if not train_run(queue.workspace, queue.rows, other.row, other.recipe):
                return False
    return True


def run_part(queue: Queue, part: Part) -> State:
    """Trains and evaluates one part unless its result has it or another process works on it."""
    if find_run(load_result(queue.results, part.row), part.recipe):
        return State.STORED
    with locked(beside(model_path(queue.workspace, part.row, part.recipe), ".lock"), wait=False) as held:
        if not held:
            return State.ELSEWHERE
        # Another process may have finished it since.
        if find_run(load_result(queue.results, part.row), part.recipe):
            return State.STORED
        if not train_needed(queue, part):
            return State.STOPPED
        queue.note(f"{part.name}: training")
        if not train_run(queue.workspace, queue.rows, part.row, part.recipe):
            return State.STOPPED
        run = evaluate_run(queue.workspace, part.row, queue.rows.set_of(part.row), part.recipe)
        store_run(queue.results, part.row, run, queue.results_lock)
    test = run["test"]
    queue.note(f"{part.name}: {test['accuracy']:.2%} on test, {test['skim_rate']:.1%} skimmed")
    return State.DONE


def run_all(queue: Queue, rows: Iterable[Row]) -> bool:
    """False when a signal stopped a training: the same command resumes it."""
    queue.workspace.work.mkdir(parents=True, exist_ok=True)
    states = []
    for part in list(parts(queue, rows)):
        states.append(run_part(queue, part))
        if states[-1] is State.STOPPED:
            queue.note(f"{part.name}: stopped; the same command resumes from its checkpoint")
            return False
    queue.note(f"{states.count(State.DONE)} run, {states.count(State.STORED)} were stored already, "
               f"{states.count(State.ELSEWHERE)} are being run by another process")
    return True


def require_idle(allow_busy: bool) -> None:
    busy = 0.0 if allow_busy else busy_processors(1)
    if busy > IDLE_LIMIT:
        raise LabError(f"other programs keep {busy:.1f} processors busy, which would distort the times; "
                       "stop them, or insist with --busy")


def run_to_time(queue: Queue, part: Part, again: bool) -> Optional[Json]:
    """The stored run of a part that has a model and, unless `again`, no times yet."""
    run = find_run(load_result(queue.results, part.row), part.recipe)
    model = model_path(queue.workspace, part.row, part.recipe)
    return run if run and (again or "timing" not in run) and model.exists() else None


def time_all(queue: Queue, rows: Iterable[Row], again: bool, allow_busy: bool) -> None:
    queue.workspace.work.mkdir(parents=True, exist_ok=True)
    timed = left = 0
    for part in list(parts(queue, rows)):
        run = run_to_time(queue, part, again)
        if run is None:
            left += 1
            continue
        require_idle(allow_busy)
        timing = time_run(queue.workspace, part.row, queue.rows.set_of(part.row), part.recipe)
        store_run(queue.results, part.row, run | {"timing": timing}, queue.results_lock)
        queue.note(f"{part.name}: {timing['speedup']:.2f}x from text to answer")
        timed += 1
    queue.note(f"{timed} runs timed, {left} had been or have no model in {queue.workspace.work}")
