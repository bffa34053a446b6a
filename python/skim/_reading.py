"""The result of reading a text."""
from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _html
from ._text import to_character_offsets

if TYPE_CHECKING:
    from ._skim import RawReading


class Word(NamedTuple):
    """A word of the text, with the decision of the first pass."""

    text: str
    begin: int  # text[begin:end] is the word
    end: int
    begin_byte: int  # the same in UTF-8 bytes, as in `skim read --json`
    end_byte: int
    width: Optional[int]  # hidden units updated: all if the word was read; None if no pass covered the word
    p_read: Optional[float]  # the probability of reading the word
    read: bool


class Pass(NamedTuple):
    """One pass of one reader over the text. Steps are in text order."""

    reader: str  # "0.forward", "0.backward", "1.forward", ...
    hidden_size: int  # the width of a step that reads its word
    over: str  # "text" or "question"; a cloze model reads text and question in one pass
    widths: npt.NDArray[np.uint16]
    p_read: npt.NDArray[np.float32]


@dataclasses.dataclass(frozen=True)
class Answer:
    """The label, the choice, the span of the text or the number."""

    text: str
    index: int  # of the label or choice; -1 for a span or a number
    score: float  # 0 for a number
    begin: Optional[int]  # text[begin:end] is the answer; None unless it is a span of the text
    end: Optional[int]
    begin_byte: Optional[int]
    end_byte: Optional[int]
    value: Optional[float] = None  # the number; None unless the model is a regression model


class Query(NamedTuple):
    """The input of one reading."""

    text: str
    question: str
    choices: Tuple[str, ...]


class ModelInfo(NamedTuple):
    """The properties of a model that its readings need."""

    net: str
    labels: Tuple[str, ...]
    min_width: int  # the smallest number of units that a step updates
    has_many_widths: bool  # more widths than read and skimmed
    output: str = "softmax"  # or "sigmoid" (multi-label), "linear" (regression)

    @property
    def is_extractive(self) -> bool:
        return self.net in ("span", "bidaf")

    @property
    def has_confidence(self) -> bool:
        """Whether the score of the answer is that of a softmax over the labels."""
        return self.net == "classifier" and self.output == "softmax"


class Reading:
    """The answer, the words and the cost of one text. Immutable; scores are float32 values of the model."""

    __slots__ = ("_query", "_model", "_threshold", "_raw", "_abstain", "_confident", "_words")
    _query: Query
    _model: ModelInfo
    _threshold: Optional[float]
    _raw: RawReading
    _abstain: Optional[float]
    _confident: Optional[float]
    _words: Optional[Tuple[Word, ...]]

    def __init__(self, query: Query, model: ModelInfo, threshold: Optional[float], raw: RawReading,
                 abstain: Optional[float] = None, confident: Optional[float] = None) -> None:
        for name, value in (("_query", query), ("_model", model), ("_threshold", threshold), ("_raw", raw),
                            ("_abstain", abstain), ("_confident", confident), ("_words", None)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a reading is immutable, {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a reading is immutable, {name} cannot be deleted")

    def __reduce__(self) -> Tuple[Any, ...]:
        return restore, (self._query, self._model, self._threshold, self._raw, self._abstain, self._confident)

    @property
    def text(self) -> str:
        return self._query.text

    @property
    def question(self) -> str:
        return self._query.question

    @property
    def label(self) -> str:
        """The text of the answer."""
        return self.answer.text

    @property
    def labels(self) -> Tuple[str, ...]:
        """The labels of the text: of a multi-label model all above their thresholds, of other classifiers the label."""
        if self._model.output == "sigmoid":
            return tuple(self._model.labels[index] for index in self._raw[8])
        return (self.label,) if self._model.labels else ()

    @property
    def value(self) -> Optional[float]:
        """The number that a regression model predicts; None for other models."""
        return self._raw[0][4] if self._model.output == "linear" else None

    @property
    def score(self) -> float:
        """The probability of the answer; 0 for a number."""
        return self._raw[0][1]

    @property
    def abstained(self) -> bool:
        """Whether the score is below the `abstain` that was given; label and scores are there all the same."""
        return self._abstain is not None and self.score < self._abstain

    @property
    def scores(self) -> Dict[str, float]:
        """The score of each label or choice; empty if the answer is a span of the text or a number."""
        return dict(zip(self._candidates, self._raw[1].tolist()))

    @property
    def answer(self) -> Answer:
        index, score, begin, end, value, number = self._raw[0]
        if self._model.output == "linear":
            return Answer(number, index, score, None, None, None, None, value)
        if not self._model.is_extractive:
            return Answer(self._candidates[index], index, score, None, None, None, None)
        encoded = self.text.encode()
        at = to_character_offsets(encoded, len(self.text), np.array([begin, end])).tolist()
        return Answer(self.text[at[0]:at[1]], index, score, at[0], at[1], begin, end)

    @property
    def words(self) -> Tuple[Word, ...]:
        """The words of the text, with the decisions of the first pass."""
        if self._words is None:
            words = make_words(self.text, self._raw[2], self.passes[:1], 0)
            object.__setattr__(self, "_words", words)
            return words
        return self._words

    @property
    def question_words(self) -> Tuple[Word, ...]:
        """The words of the question; with width and p_read if the first pass covers the question."""
        return make_words(self.question, self._raw[3], self.passes[:1], len(self._raw[2]))

    @property
    def passes(self) -> Tuple[Pass, ...]:
        """One pass per layer and direction."""
        return tuple(Pass(*each) for each in self._raw[4])

    @property
    def flop_reduction(self) -> Dict[str, float]:
        """The FLOPs of the dense reader divided by those of this reading, by the three rules of docs/cost.md."""
        return dict(zip(("paper", "counted", "executed"), self._raw[5]))

    @property
    def skim_rate(self) -> float:
        """The fraction of steps, over all passes, that did not update the whole hidden state."""
        return self._raw[6]

    @property
    def unseen_share(self) -> float:
        """The fraction of the words that were never looked at, because the answer was `confident` before them."""
        words, passes = len(self._raw[2]), self._raw[4]
        seen = len(passes[0][3]) if passes else words
        return max(words - seen, 0) / words if words else 0.0

    @property
    def microseconds(self) -> float:
        """The time of this reading from text to answer; with `read_many`, the mean over a block of texts."""
        return self._raw[7]

    @property
    def threshold(self) -> Optional[float]:
        """The threshold on p_read; None under another rule."""
        return self._threshold

    def to_dict(self, words: bool = True) -> Dict[str, Any]:
        """The object that `skim read --json` prints, with its six digits and without `warm_microseconds`; without words,
        that of `skim run --json`."""
        answer = self.answer
        score = round_to_six_digits(answer.score)
        fields: Dict[str, Any] = {"answer": {"text": answer.text, "index": answer.index, "score": score}}
        if self._model.output == "sigmoid":
            fields["labels"] = list(self.labels)
        if answer.value is not None:
            fields["answer"] = {"text": answer.text, "value": round_to_six_digits(answer.value)}
        elif self._model.is_extractive:
            fields["answer"].update(begin=answer.begin_byte, end=answer.end_byte)
        if self._abstain is not None:
            fields["abstained"] = self.abstained
        if not self._model.is_extractive and answer.value is None:
            kind = "label" if self._model.net == "classifier" else "choice"
            fields["scores"] = [{kind: name, "score": round_to_six_digits(score)}
                              for name, score in zip(self._candidates, self._raw[1].tolist())]
        if words:
            fields["words"] = [word_dict(word) for word in self.words]
            if self.question_words:
                fields["question_words"] = [word_dict(word) for word in self.question_words]
            fields["passes"] = [pass_dict(each) for each in self.passes]
        fields["skim_rate"] = round_to_six_digits(self.skim_rate)
        if self._confident is not None:
            fields["unseen_share"] = round_to_six_digits(self.unseen_share)
        fields["flop_reduction"] = {rule: round_to_six_digits(factor) for rule, factor in self.flop_reduction.items()}
        fields["threshold"] = None if self.threshold is None else round_to_six_digits(float(np.float32(self.threshold)))
        fields["microseconds"] = round_to_six_digits(self.microseconds)
        return fields

    def to_json(self, words: bool = True) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(words), ensure_ascii=False)

    def _repr_html_(self) -> str:
        """For notebooks: the text with the read words highlighted."""
        return _html.reading_html(self, self._model.min_width, self._model.has_many_widths)

    def __repr__(self) -> str:
        read = sum(word.read for word in self.words)
        if self._model.output == "sigmoid":
            answer = repr(self.labels)
        else:
            answer = self.label if self.value is not None else f"{self.label!r} {self.score:.4f}"
        return f"<skim.Reading {answer}, read {read} of {len(self.words)} words>"

    def __eq__(self, other: object) -> bool:
        """Whether text, answer and trace are bit-identical; ignores the time."""
        if not isinstance(other, Reading):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._query, self._raw[0]))

    def _key(self) -> Tuple[Any, ...]:
        answer, scores, words, question_words, passes, costs, skim_rate, _, labels = self._raw
        traces = [(reader, hidden_size, over, widths.tobytes(), p_read.tobytes())
                  for reader, hidden_size, over, widths, p_read in passes]
        return (self._query, self._model, self._threshold, self._abstain, self._confident, answer, scores.tobytes(), words.tobytes(),
                question_words.tobytes(), traces, costs, skim_rate, labels)

    @property
    def _candidates(self) -> Tuple[str, ...]:
        if self._model.is_extractive or self._model.output == "linear":
            return ()
        return self._model.labels if self._model.net == "classifier" else self._query.choices


def restore(query: Query, model: ModelInfo, threshold: Optional[float], raw: RawReading,
            abstain: Optional[float] = None, confident: Optional[float] = None) -> Reading:
    """Unpickles a reading; pickle does not preserve the read-only flag of arrays."""
    for array in (*raw[1:4], *(array for each in raw[4] for array in each[3:])):
        array.setflags(write=False)  # type: ignore[attr-defined]
    return Reading(query, model, threshold, raw, abstain, confident)


def make_words(text: str, offsets: npt.NDArray[np.int64], passes: Tuple[Pass, ...], first: int) -> Tuple[Word, ...]:
    """Combines the words at these byte offsets with the steps from `first` on; later words have no step."""
    encoded = text.encode()
    bytes_at: List[List[int]] = offsets.tolist()
    characters: List[List[int]] = to_character_offsets(encoded, len(text), offsets).tolist()
    steps: List[Tuple[int, float]] = []
    hidden_size = 0
    for each in passes:
        hidden_size = each.hidden_size
        steps = list(zip(each.widths[first:].tolist(), each.p_read[first:].tolist()))
    words = []
    for index, ((begin, end), (begin_byte, end_byte)) in enumerate(zip(characters, bytes_at)):
        width, p_read = steps[index] if index < len(steps) else (None, None)
        words.append(Word(text[begin:end], begin, end, begin_byte, end_byte, width, p_read,
                          width is not None and width >= hidden_size))
    return tuple(words)


def round_to_six_digits(value: float) -> float:
    return float(f"{value:.6g}")


def word_dict(word: Word) -> Dict[str, Any]:
    fields: Dict[str, Any] = {"text": word.text, "begin": word.begin_byte, "end": word.end_byte}
    if word.width is not None and word.p_read is not None:
        fields.update(width=word.width, p_read=round_to_six_digits(word.p_read))
    return fields


def pass_dict(reader_pass: Pass) -> Dict[str, Any]:
    steps = [{"width": width, "p_read": round_to_six_digits(p_read)}
             for width, p_read in zip(reader_pass.widths.tolist(), reader_pass.p_read.tolist())]
    fields: Dict[str, Any] = {"reader": reader_pass.reader, "hidden_size": reader_pass.hidden_size, "steps": steps}
    if reader_pass.over == "question":
        fields["over"] = "question"
    return fields
