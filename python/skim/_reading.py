"""What came of reading a text."""
from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _html
from ._text import characters_at

if TYPE_CHECKING:
    from ._skim import RawReading


class Word(NamedTuple):
    """A word of the text, and what the first pass made of it."""

    text: str
    begin: int  # text[begin:end] is the word
    end: int
    begin_byte: int  # the same in bytes of UTF-8, as `skim read --json` counts
    end_byte: int
    width: Optional[int]  # units updated: all of them when read; None of a word that no pass went over
    p_read: Optional[float]  # how likely the model found it that the word must be read
    read: bool


class Pass(NamedTuple):
    """One reader going over the text once. Steps are in the order of the text."""

    reader: str  # "0.forward", "0.backward", "1.forward", ...
    hidden: int  # a step of this width read its word
    over: str  # "text" or "question"; a cloze model reads the question behind the text in one pass
    widths: npt.NDArray[np.uint16]
    p_read: npt.NDArray[np.float32]


@dataclasses.dataclass(frozen=True)
class Answer:
    """The label, the choice or the piece of the text."""

    text: str
    index: int  # which label or choice; -1 of a piece of the text
    score: float
    begin: Optional[int]  # text[begin:end] is the answer; None unless it is a piece of the text
    end: Optional[int]
    begin_byte: Optional[int]
    end_byte: Optional[int]


class Asked(NamedTuple):
    text: str
    question: str
    choices: Tuple[str, ...]


class Answers(NamedTuple):
    """What a reading needs to know of its model."""

    net: str
    labels: Tuple[str, ...]
    least: int  # fewest units that a word may update
    many_widths: bool  # more than read and skimmed

    @property
    def finds_pieces(self) -> bool:
        return self.net in ("span", "bidaf")


class Reading:
    """Answer, words and cost of one text. Never changes; scores are the model's float32 values."""

    __slots__ = ("_asked", "_answers", "_threshold", "_raw", "_words")
    _asked: Asked
    _answers: Answers
    _threshold: Optional[float]
    _raw: RawReading
    _words: Optional[Tuple[Word, ...]]

    def __init__(self, asked: Asked, answers: Answers, threshold: Optional[float], raw: RawReading) -> None:
        for name, value in (("_asked", asked), ("_answers", answers), ("_threshold", threshold), ("_raw", raw),
                            ("_words", None)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a reading never changes, so {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a reading never changes, so {name} cannot be deleted")

    def __reduce__(self) -> Tuple[Any, ...]:
        return restored, (self._asked, self._answers, self._threshold, self._raw)

    @property
    def text(self) -> str:
        return self._asked.text

    @property
    def question(self) -> str:
        return self._asked.question

    @property
    def label(self) -> str:
        """The text of the answer."""
        return self.answer.text

    @property
    def score(self) -> float:
        """How likely the model finds its answer, 0 to 1."""
        return self._raw[0][1]

    @property
    def scores(self) -> Dict[str, float]:
        """The score of each label or choice; empty where the answer is a piece of the text."""
        return dict(zip(self._among, self._raw[1].tolist()))

    @property
    def answer(self) -> Answer:
        index, score, begin, end = self._raw[0]
        if not self._answers.finds_pieces:
            return Answer(self._among[index], index, score, None, None, None, None)
        encoded = self.text.encode()
        at = characters_at(encoded, len(self.text), np.array([begin, end])).tolist()
        return Answer(self.text[at[0]:at[1]], index, score, at[0], at[1], begin, end)

    @property
    def words(self) -> Tuple[Word, ...]:
        """The words of the text, with what the first pass made of them."""
        if self._words is None:
            made = words_of(self.text, self._raw[2], self.passes[:1], 0)
            object.__setattr__(self, "_words", made)
            return made
        return self._words

    @property
    def question_words(self) -> Tuple[Word, ...]:
        """The words of the question; with width and p_read where the first pass went on to it."""
        return words_of(self.question, self._raw[3], self.passes[:1], len(self._raw[2]))

    @property
    def passes(self) -> Tuple[Pass, ...]:
        """One a layer and direction."""
        return tuple(Pass(*each) for each in self._raw[4])

    @property
    def flop_reduction(self) -> Dict[str, float]:
        """The plain reader's work over the work done, by the three rules of docs/cost.md."""
        return dict(zip(("paper", "counted", "executed"), self._raw[5]))

    @property
    def skim_rate(self) -> float:
        """Share of steps that did not update the whole state, over all passes."""
        return self._raw[6]

    @property
    def microseconds(self) -> float:
        """Time from text to answer; of `read_many`, that of a block of texts over their number."""
        return self._raw[7]

    @property
    def threshold(self) -> Optional[float]:
        """What a word's p_read had to exceed; None where another rule decided."""
        return self._threshold

    def to_dict(self, words: bool = True) -> Dict[str, Any]:
        """What `skim read --json` prints, to its six digits; without words, what `skim run --json` prints."""
        answer = self.answer
        said: Dict[str, Any] = {"answer": {"text": answer.text, "index": answer.index, "score": six_digits(answer.score)}}
        if self._answers.finds_pieces:
            said["answer"].update(begin=answer.begin_byte, end=answer.end_byte)
        else:
            kind = "label" if self._answers.net == "classifier" else "choice"
            said["scores"] = [{kind: name, "score": six_digits(score)}
                              for name, score in zip(self._among, self._raw[1].tolist())]
        if words:
            said["words"] = [word_dict(word) for word in self.words]
            if self.question_words:
                said["question_words"] = [word_dict(word) for word in self.question_words]
            said["passes"] = [pass_dict(each) for each in self.passes]
        said["skim_rate"] = six_digits(self.skim_rate)
        said["flop_reduction"] = {rule: six_digits(factor) for rule, factor in self.flop_reduction.items()}
        said["threshold"] = None if self.threshold is None else six_digits(float(np.float32(self.threshold)))
        said["microseconds"] = six_digits(self.microseconds)
        return said

    def to_json(self, words: bool = True) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(words), ensure_ascii=False)

    def _repr_html_(self) -> str:
        """For notebooks: the text with what was read standing out."""
        return _html.reading_html(self, self._answers.least, self._answers.many_widths)

    def __repr__(self) -> str:
        read = sum(word.read for word in self.words)
        return f"<skim.Reading {self.label!r} {self.score:.4f}, read {read} of {len(self.words)} words>"

    def __eq__(self, other: object) -> bool:
        """Same text, same answer, same trace, to the bit; the time taken does not count."""
        if not isinstance(other, Reading):
            return NotImplemented
        return self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash((self._asked, self._raw[0]))

    def _facts(self) -> Tuple[Any, ...]:
        answer, scores, words, question_words, passes, costs, skim_rate, _ = self._raw
        traces = [(reader, hidden, over, widths.tobytes(), p_read.tobytes())
                  for reader, hidden, over, widths, p_read in passes]
        return (self._asked, self._answers, self._threshold, answer, scores.tobytes(), words.tobytes(),
                question_words.tobytes(), traces, costs, skim_rate)

    @property
    def _among(self) -> Tuple[str, ...]:
        if self._answers.finds_pieces:
            return ()
        return self._answers.labels if self._answers.net == "classifier" else self._asked.choices


def restored(asked: Asked, answers: Answers, threshold: Optional[float], raw: RawReading) -> Reading:
    """A reading from a pickle, which forgets that arrays were not to be written to."""
    for array in (*raw[1:4], *(array for one in raw[4] for array in one[3:])):
        array.setflags(write=False)  # type: ignore[attr-defined]
    return Reading(asked, answers, threshold, raw)


def words_of(text: str, extents: npt.NDArray[np.int64], passes: Tuple[Pass, ...], first: int) -> Tuple[Word, ...]:
    """Joins words with the steps from `first` on, where there are any left."""
    encoded = text.encode()
    bytes_at: List[List[int]] = extents.tolist()
    characters: List[List[int]] = characters_at(encoded, len(text), extents).tolist()
    steps: List[Tuple[int, float]] = []
    hidden = 0
    for one in passes:
        hidden = one.hidden
        steps = list(zip(one.widths[first:].tolist(), one.p_read[first:].tolist()))
    words = []
    for number, ((begin, end), (begin_byte, end_byte)) in enumerate(zip(characters, bytes_at)):
        width, p_read = steps[number] if number < len(steps) else (None, None)
        words.append(Word(text[begin:end], begin, end, begin_byte, end_byte, width, p_read,
                          width is not None and width >= hidden))
    return tuple(words)


def six_digits(value: float) -> float:
    return float(f"{value:.6g}")


def word_dict(word: Word) -> Dict[str, Any]:
    said: Dict[str, Any] = {"text": word.text, "begin": word.begin_byte, "end": word.end_byte}
    if word.width is not None and word.p_read is not None:
        said.update(width=word.width, p_read=six_digits(word.p_read))
    return said


def pass_dict(one: Pass) -> Dict[str, Any]:
    steps = [{"width": width, "p_read": six_digits(p_read)}
             for width, p_read in zip(one.widths.tolist(), one.p_read.tolist())]
    said: Dict[str, Any] = {"reader": one.reader, "hidden": one.hidden, "steps": steps}
    if one.over == "question":
        said["over"] = "question"
    return said
