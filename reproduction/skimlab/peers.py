"""The comparison with other text classifiers, from what bench/texts/run wrote."""
import pathlib

from .document import Section, Table
from .fields import Json, load_object, require

HOW = ("Trained on the same files, settings chosen on dev, from text to label on one thread of one core, all models of "
       "a data set interleaved in one run: `bench/texts/run --data DIR --work DIR --json "
       "reproduction/results/peers/texts.json`; bench/README.md describes the method.")


def peer_cells(row: Json, where: str) -> list[str]:
    took = require(row, "microseconds", dict, where)
    median, low, high = (require(took, key, float, f"{where}.microseconds")
                         for key in ("median", "lower_quartile", "upper_quartile"))
    return [require(row, "name", str, where), f"{100 * require(row, 'test_accuracy', float, where):.2f}",
            f"{median:.1f}", f"{low:.1f} to {high:.1f}", f"{require(row, 'model_bytes', float, where) / 1e6:.1f}"]


def peer_section(name: str, found: Json, where: str) -> Section:
    run = require(found, "run", dict, where)
    rows = [peer_cells(row, f"{where}.rows") for row in require(found, "rows", list, where)]
    # A report made outside of a repository has no commit.
    made = f"Commit {run.get('commit', 'unknown')}, {run.get('machine', 'unknown')}."
    return Section(f"Other text classifiers: {name}", [made],
                   Table(["", "accuracy %", "us per text", "quartiles", "model, MB"], rows))


def peer_sections(path: pathlib.Path) -> list[Section]:
    if not path.exists():
        return []
    sets = require(load_object(path), "sets", dict, f"{path}: report")
    sections = [peer_section(name, found, f"{path}: report.sets.{name}") for name, found in sets.items()]
    for section in sections[:1]:
        section.paragraphs.insert(0, HOW)
    return sections
