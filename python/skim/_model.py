"""A trained model: load it, ask it."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _skim
from ._errors import Error
from ._policy import PolicyParts, policy_parts, share, whole_number
from ._reading import Answers, Asked, Reading
from ._text import utf8

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# Between two blocks of texts Python may notice Ctrl-C.
BLOCK = 256
MOST_THREADS = 1024
DEFAULT_TABLE_BYTES = 512 << 20


def built_in() -> pathlib.Path:
    """The model that comes with the package."""
    return pathlib.Path(__file__).parent / "default.skim"


class Model:
    """Immutable and safe to use from any number of threads at a time. Make one with `Model.load` or `Model.from_bytes`."""

    __slots__ = ("_core", "_answers")

    def __init__(self, core: _skim.Model) -> None:
        if not isinstance(core, _skim.Model):
            raise TypeError("make a model with Model.load or Model.from_bytes")
        self._core = core
        spec = json.loads(core.spec)
        reader = spec["reader"]
        self._answers = Answers(net=spec["net"], labels=tuple(core.labels), least=core.least,
                                many_widths=len(reader["small"]) > 1 or reader["kind"] == "vary")

    @classmethod
    def load(cls, path: Optional[Path] = None, *, table_bytes: int = DEFAULT_TABLE_BYTES) -> Model:
        """Opens a model file; without a path, the built-in model of English film reviews.

        `table_bytes` is memory for word tables; with less, words beyond it take longer and give the same.
        """
        name = file_name(built_in() if path is None else path)
        return cls(_skim.Model.load(name, whole_number(table_bytes, "table_bytes", 1 << 63)))

    @classmethod
    def from_bytes(cls, data: Any, name: str = "model", *, table_bytes: int = DEFAULT_TABLE_BYTES) -> Model:
        """Takes a whole model file as bytes, or as anything that has some. `name` stands for it in messages."""
        taken = memoryview(data).tobytes()
        utf8(name, "name")
        return cls(_skim.Model.from_bytes(taken, name, whole_number(table_bytes, "table_bytes", 1 << 63)))

    @property
    def name(self) -> str:
        """Where it was loaded from."""
        return os.fsdecode(self._core.name)

    @property
    def labels(self) -> Tuple[str, ...]:
        """What it may answer; none of a model that answers questions."""
        return self._answers.labels

    @property
    def spec(self) -> Dict[str, Any]:
        """What kind of network it is, with the fields of docs/file-format.md. A copy."""
        described: Dict[str, Any] = json.loads(self._core.spec)
        return described

    @property
    def calibration(self) -> List[Tuple[float, float]]:
        """Thresholds with the share of the plain reader's work each leads to; empty unless `skim tune` was run."""
        return self._core.calibration_points

    def threshold_for(self, budget: float) -> float:
        """The threshold that spends this share of the plain reader's work on average."""
        return self._core.threshold_for(share(budget, "budget"))

    def plain(self) -> Model:
        """The same words and big cells without decisions: it reads everything."""
        return Model(self._core.plain())

    def read(self, text: str, *, threshold: Optional[float] = None, budget: Optional[float] = None,
             question: Optional[str] = None, choices: Optional[Sequence[str]] = None, rule: Optional[str] = None,
             seed: Optional[int] = None) -> Reading:
        """Reads one text and answers. Other Python threads run meanwhile.

        A word is read when its p_read is above `threshold`: 0 reads every word, 1 skims every word, 0.5 is the model's
        own choice. `budget` chooses the threshold that spends this share of the plain reader's work on average.
        `rule="argmax"` takes the likeliest way to treat each word, `rule="sample"` draws it, by `seed`.
        """
        policy = self._policy(threshold, budget, rule, seed)
        asked = asked_of(text, question, choices)
        return Reading(asked, self._answers, shown_threshold(policy), self._core.ask(parts_of(asked, ""), policy))

    def read_many(self, texts: Iterable[Union[str, Mapping[str, Any]]], *, threads: int = 0,
                  threshold: Optional[float] = None, budget: Optional[float] = None, question: Optional[str] = None,
                  choices: Optional[Sequence[str]] = None, rule: Optional[str] = None,
                  seed: Optional[int] = None) -> List[Reading]:
        """Reads texts on several threads (0: one a core), in order; the number of threads never changes an answer.

        A text is a str, or a mapping with `text` and, for models that answer questions, `question` and `choices`; other
        entries are passed over, as `skim run` does.
        A text that cannot be read raises with its index. Other Python threads run meanwhile.
        """
        if isinstance(texts, (str, bytes, Mapping)):
            raise TypeError("texts must be several; read takes one")
        policy = self._policy(threshold, budget, rule, seed)
        asked = [one_of_many(number, text, question, choices) for number, text in enumerate(texts)]
        queries = [parts_of(one, f"text {number}: ") for number, one in enumerate(asked)]
        count = whole_number(threads, "threads", MOST_THREADS + 1)
        if not asked:
            return []
        # More threads than texts would only wait.
        batch = _skim.Batch(self._core, min(count, len(asked)))
        readings: List[Reading] = []
        for first in range(0, len(asked), BLOCK):
            answers = batch.ask(queries[first:first + BLOCK], policy, first)
            readings += [Reading(one, self._answers, shown_threshold(policy), raw)
                         for one, raw in zip(asked[first:], answers)]
        return readings

    def _policy(self, threshold: Optional[float], budget: Optional[float], rule: Optional[str],
                seed: Optional[int]) -> PolicyParts:
        return policy_parts(threshold, budget, rule, seed, self._core.threshold_for)

    def __repr__(self) -> str:
        spec = self.spec
        reader = spec["reader"]
        return f"<skim.Model {self.name}: {spec['net']}, {reader['kind']} {reader['cell']} of {reader['hidden']} units>"


def file_name(path: Path) -> bytes:
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise Error(f"path {path!r}: character {error.start} cannot be part of a file's name") from None
    if b"\0" in name:
        raise Error(f"path {path!r}: there is a zero character in it, which no file's name has")
    return name


def asked_of(text: str, question: Optional[str], choices: Optional[Sequence[str]]) -> Asked:
    if isinstance(choices, (str, bytes)):
        raise TypeError("choices must be several str, not one")
    return Asked(text, "" if question is None else question, () if choices is None else tuple(choices))


def one_of_many(number: int, given: Any, question: Optional[str], choices: Optional[Sequence[str]]) -> Asked:
    """The query of text `number`."""
    try:
        if not isinstance(given, Mapping):
            return asked_of(given, question, choices)
        if "text" not in given:
            raise Error("the mapping has no text")
        return asked_of(given["text"], given.get("question", question), given.get("choices", choices))
    except (TypeError, Error) as error:
        raise type(error)(f"text {number}: {error}") from None


def parts_of(asked: Asked, where: str) -> Tuple[bytes, bytes, List[bytes]]:
    """A query as the compiled half takes it."""
    return (utf8(asked.text, where + "text"), utf8(asked.question, where + "question"),
            [utf8(choice, where + "choices") for choice in asked.choices])


def shown_threshold(policy: PolicyParts) -> Optional[float]:
    threshold, rule, _ = policy
    return threshold if rule == "threshold" else None
