"""Texts with the words that a model read, for the report and for pictures."""
import pathlib
from typing import Iterator

from .document import Figure, MarkedText, Section
from .fields import Json
from .programs import skim_json


def is_read(reading: Json, word: Json) -> bool:
    return word["width"] == reading["passes"][0]["hidden_size"]


def words_read(reading: Json) -> int:
    return sum(is_read(reading, word) for word in reading["words"])


def pieces(text: str, reading: Json) -> Iterator[tuple[str, bool]]:
    """The whole text in pieces, each with whether it was read; a gap between two read words counts as read."""
    data, place, before = text.encode(), 0, False
    for word in reading["words"]:
        read = is_read(reading, word)
        yield data[place:word["begin"]].decode(), before and read
        yield data[word["begin"]:word["end"]].decode(), read
        place, before = word["end"], read
    yield data[place:].decode(), False


def joined(found: Iterator[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Neighbours of one kind as one piece."""
    out: list[tuple[str, bool]] = []
    for text, read in found:
        if out and (out[-1][1] == read or not text):
            out[-1] = (out[-1][0] + text, out[-1][1])
        else:
            out.append((text, read))
    return out


def marked_review(skim: str, label: str, text: str) -> MarkedText:
    reading = skim_json(skim, "read", text=text)
    answer = reading["answer"]
    caption = (f"{label}, answered {answer['text']} ({100 * answer['score']:.1f} %), read {words_read(reading)} of "
               f"{len(reading['words'])} words")
    return MarkedText(caption, joined(pieces(text, reading)))


def review_section(skim: str, file: pathlib.Path) -> Section:
    lines = [line.split("\t", 1) for line in file.read_text(encoding="utf-8").splitlines()]
    return Section("Ten reviews", ["Written for this project in the style of real ones, and read by the built-in "
                                   "model. Words that it read are bold; it skimmed all others. The same in a terminal: "
                                   "`skim read \"TEXT\"`."],
                   texts=[marked_review(skim, label, text) for label, text in lines])


def passage_section(folder: pathlib.Path) -> list[Section]:
    """The stored pictures of passages; none without them."""
    files = sorted(folder.glob("*.svg"))
    about = ("Written for this project, and drawn by `reproduction/draw passages`. Under each word stands one bar per "
             "layer and direction, dark where that layer read the word; the answer is coloured. The same in a "
             "terminal: `skim read --question \"QUESTION\" \"TEXT\"`.")
    figures = [Figure(file.name, file.stem, file.read_text(encoding="utf-8")) for file in files]
    return [Section("Passages, layer by layer", [about], figures=figures)] if files else []
