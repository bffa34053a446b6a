"""Which rows there are and how many of their runs are stored and timed."""
import pathlib
from typing import Iterable

from .fields import Json
from .rows import Row
from .store import find_run_of_options, load_result


def row_status(row: Row, results: pathlib.Path) -> Json:
    result = load_result(results, row)
    found = [run for seed in row.seeds if (run := find_run_of_options(result, row, seed))]
    return {"row": row.name, "title": row.title, "set": row.set, "group": row.group, "seeds": row.seeds,
            "options": row.options, "run": len(found), "timed": sum("timing" in run for run in found)}


def list_text(rows: Iterable[Row]) -> str:
    return table_text([["row", "data", "group", "seeds", "method"],
                       *([row.name, row.set, row.group, str(len(row.seeds)), row.title] for row in rows)])


def status_text(states: list[Json]) -> str:
    lines = [[one["row"], one["set"], str(len(one["seeds"])), str(one["run"]), str(one["timed"])] for one in states]
    total = sum(len(one["seeds"]) for one in states)
    done = sum(one["run"] for one in states)
    return table_text([["row", "data", "seeds", "run", "timed"], *lines]) + f"\n{done} of {total} runs are stored\n"


def table_text(lines: list[list[str]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*lines)]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() + "\n" for line in lines)
