"""Trained models."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _skim
from ._errors import Error
from ._policy import PolicyParts, fraction, integer, policy_parts
from ._reading import ModelInfo, Query, Reading
from ._text import encode_utf8

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

# Texts per call of the extension module. Python handles Ctrl-C between two calls. At the end of a call fewer and fewer
# texts are read at once, so beyond the minimum a call takes more texts as long as they are short.
MIN_BLOCK_TEXTS = 256
MAX_BLOCK_TEXTS = 1024
BLOCK_BYTES = 1 << 20
MAX_THREADS = 1024
DEFAULT_TABLE_BYTES = 512 << 20


def built_in_path() -> pathlib.Path:
    """The path of the model that comes with the package."""
    return pathlib.Path(__file__).parent / "default.skim"


class Model:
    """A trained model. Immutable and thread-safe. Create one with `Model.load` or `Model.from_bytes`."""

    __slots__ = ("_core", "_info")

    def __init__(self, core: _skim.Model) -> None:
        if not isinstance(core, _skim.Model):
            raise TypeError("create a model with Model.load or Model.from_bytes")
        self._core = core
        spec = json.loads(core.spec)
        reader = spec["reader"]
        self._info = ModelInfo(net=spec["net"], labels=tuple(core.labels), min_width=core.min_width,
                               output=spec.get("output", "softmax"),
                               has_many_widths=len(reader["skim_sizes"]) > 1 or reader["kind"] == "vcrnn")

    @classmethod
    def load(cls, path: Optional[Path] = None, *, table_bytes: int = DEFAULT_TABLE_BYTES) -> Model:
        """Loads a model file; without a path, the built-in sentiment model for English film reviews.

        `table_bytes` limits the memory of the folded embedding table. Words beyond it are slower; results are equal.
        """
        name = encode_path(built_in_path() if path is None else path)
        return cls(_skim.Model.load(name, integer(table_bytes, "table_bytes", 1 << 63)))

    @classmethod
    def from_bytes(cls, data: Any, name: str = "model", *, table_bytes: int = DEFAULT_TABLE_BYTES) -> Model:
        """Loads a model file from a bytes-like object. `name` identifies it in error messages."""
        contents = memoryview(data).tobytes()
        encode_utf8(name, "name")
        return cls(_skim.Model.from_bytes(contents, name, integer(table_bytes, "table_bytes", 1 << 63)))

    @property
    def name(self) -> str:
        """The path or name from which it was loaded."""
        return os.fsdecode(self._core.name)

    @property
    def labels(self) -> Tuple[str, ...]:
        """The labels of a classifier; empty for other models."""
        return self._info.labels

    @property
    def label_thresholds(self) -> Dict[str, float]:
        """The threshold of each label of a multi-label model: a text has the label if its score is above."""
        return dict(zip(self._info.labels, self._core.label_thresholds))

    @property
    def spec(self) -> Dict[str, Any]:
        """A copy of the model spec, with the fields of docs/file-format.md."""
        spec: Dict[str, Any] = json.loads(self._core.spec)
        return spec

    @property
    def calibration(self) -> List[Tuple[float, float]]:
        """Pairs of a threshold and its fraction of the dense reader's work; empty unless `skim tune` was run."""
        return self._core.calibration_points

    @property
    def temperature(self) -> float:
        """The scores of a classifier are softmax(logits / temperature); 1 if it was never fitted."""
        return self._core.temperature

    def threshold_for(self, budget: float) -> float:
        """The threshold that spends this fraction of the dense reader's work on average."""
        return self._core.threshold_for(fraction(budget, "budget"))

    def dense(self) -> Model:
        """The dense model with the same embeddings and big cells: it reads every word."""
        return Model(self._core.dense())

    def read(self, text: str, *, threshold: Optional[float] = None, budget: Optional[float] = None,
             question: Optional[str] = None, choices: Optional[Sequence[str]] = None, rule: Optional[str] = None,
             seed: Optional[int] = None, abstain: Optional[float] = None,
             confident: Optional[float] = None) -> Reading:
        """Reads one text. Releases the GIL.

        A word is read when its p_read is above `threshold`: 0 reads every word, 1 skims every word, 0.5 is the default.
        `budget` selects the threshold that spends this fraction of the dense reader's work on average. `rule="argmax"`
        takes the most likely decision for each word, `rule="sample"` samples it with `seed`. The reading of a classifier is
        `abstained` if its score is below `abstain`. With `confident`, reading stops when the score of the answer so far
        reaches it twice in a row, checked after 64, 128, ... words.
        """
        policy = self._policy(threshold, budget, rule, seed, confident)
        query = make_query(text, question, choices)
        limit = self._abstain(abstain)
        raw = self._core.read(encode_query(query, ""), policy)
        return Reading(query, self._info, effective_threshold(policy), raw, limit, policy[3])

    def read_many(self, texts: Iterable[Union[str, Mapping[str, Any]]], *, threads: int = 0,
                  threshold: Optional[float] = None, budget: Optional[float] = None, question: Optional[str] = None,
                  choices: Optional[Sequence[str]] = None, rule: Optional[str] = None, seed: Optional[int] = None,
                  abstain: Optional[float] = None, confident: Optional[float] = None) -> List[Reading]:
        """Reads texts on several threads (0: one per core) and returns the readings in order.

        A text is a str, or a mapping with `text` and, for question answering models, `question` and `choices`; other
        keys are ignored. The number of threads does not change the results. An invalid text raises an error that names its
        index. Releases the GIL.
        """
        if isinstance(texts, (str, bytes, Mapping)):
            raise TypeError("texts must be an iterable of texts; use read for a single text")
        policy = self._policy(threshold, budget, rule, seed, confident)
        limit = self._abstain(abstain)
        queries = [make_indexed_query(index, text, question, choices) for index, text in enumerate(texts)]
        encoded = [encode_query(query, f"text {index}: ") for index, query in enumerate(queries)]
        count = integer(threads, "threads", MAX_THREADS + 1)
        if not queries:
            return []
        # More threads than texts would stay idle.
        batch = _skim.Batch.create(self._core, min(count, len(queries)))
        readings: List[Reading] = []
        while len(readings) < len(queries):
            first = len(readings)
            raw_readings = batch.read(encoded[first:block_end(encoded, first)], policy, first)
            readings += [Reading(query, self._info, effective_threshold(policy), raw, limit, policy[3])
                         for query, raw in zip(queries[first:], raw_readings)]
        return readings

    def _policy(self, threshold: Optional[float], budget: Optional[float], rule: Optional[str],
                seed: Optional[int], confident: Optional[float]) -> PolicyParts:
        if confident is not None and not self._core.streams:
            raise Error("confident is for classifiers in one direction only")
        return policy_parts(threshold, budget, rule, seed, self._core.threshold_for, confident)

    def _abstain(self, abstain: Optional[float]) -> Optional[float]:
        if abstain is None:
            return None
        if not self._info.has_confidence:
            raise Error("abstain is for classifiers only")
        return fraction(abstain, "abstain")

    def __repr__(self) -> str:
        spec = self.spec
        reader = spec["reader"]
        return (f"<skim.Model {self.name}: {spec['net']}, {reader['kind']} {reader['cell']} of "
                f"{reader['hidden_size']} units>")


def block_end(encoded: Sequence[Tuple[bytes, bytes, List[bytes]]], first: int) -> int:
    """The end of the block of texts that starts at `first`."""
    size = 0
    for index in range(first, min(len(encoded), first + MAX_BLOCK_TEXTS)):
        if index >= first + MIN_BLOCK_TEXTS and size >= BLOCK_BYTES:
            return index
        size += len(encoded[index][0])
    return min(len(encoded), first + MAX_BLOCK_TEXTS)


def encode_path(path: Path) -> bytes:
    try:
        name = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise Error(f"path {path!r}: character {error.start} cannot be encoded in a file name") from None
    if b"\0" in name:
        raise Error(f"path {path!r}: a file name cannot contain a NUL character")
    return name


def make_query(text: str, question: Optional[str], choices: Optional[Sequence[str]]) -> Query:
    if isinstance(choices, (str, bytes)):
        raise TypeError("choices must be a sequence of str, not a single str")
    return Query(text, "" if question is None else question, () if choices is None else tuple(choices))


def make_indexed_query(index: int, text: Any, question: Optional[str], choices: Optional[Sequence[str]]) -> Query:
    """The query of one element of `texts`; errors name its index."""
    try:
        if not isinstance(text, Mapping):
            return make_query(text, question, choices)
        if "text" not in text:
            raise Error("the mapping has no key 'text'")
        return make_query(text["text"], text.get("question", question), text.get("choices", choices))
    except (TypeError, Error) as error:
        raise type(error)(f"text {index}: {error}") from None


def encode_query(query: Query, where: str) -> Tuple[bytes, bytes, List[bytes]]:
    """A query as the extension module takes it. `where` is the prefix of error messages."""
    return (encode_utf8(query.text, where + "text"), encode_utf8(query.question, where + "question"),
            [encode_utf8(choice, where + "choices") for choice in query.choices])


def effective_threshold(policy: PolicyParts) -> Optional[float]:
    threshold, rule, _, _ = policy
    return threshold if rule == "threshold" else None
