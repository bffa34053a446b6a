"""A reader without text around it: rows of numbers in, equally many rows out, in place of any recurrent layer."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _skim, _torch
from ._errors import Error
from ._policy import policy_parts
from ._skim import LayerState as State

WEIGHTS = ("f32", "bf16", "int8")
Floats = npt.NDArray[np.float32]


class Steps(NamedTuple):
    """What each row got, in the order of the rows."""

    widths: npt.NDArray[np.uint16]  # units updated
    p_read: Floats


class Output(NamedTuple):
    rows: Floats  # [count, hidden]: the hidden state after each row
    state: State  # to go on from
    steps: Steps


class SkimReader:
    """One recurrent layer in one direction, skimming or plain. Immutable, and safe to use from several threads.

    `spec` has the fields of `reader` in docs/file-format.md; `cell`, `input` and `hidden` are needed, the others have
    defaults. `tensors` maps names as there, without the reader's prefix ("big.w", "small.1.u", "decision.b"), to arrays.
    With `reverse` it reads rows from the last to the first and hands everything back in the order of the rows.
    """

    __slots__ = ("_layer", "_spec", "_reverse")

    def __init__(self, spec: Mapping[str, Any], tensors: Mapping[str, Any], *, weights: str = "f32",
                 reverse: bool = False) -> None:
        if weights not in WEIGHTS:
            raise Error(f"weights is {weights!r}, it must be one of {', '.join(WEIGHTS)}")
        named = [(str(name), floats(values, f"tensor '{name}'")) for name, values in entries(tensors, "tensors")]
        self._layer = _skim.Layer(spec_text(spec), named, weights)
        self._spec: Dict[str, Any] = json.loads(self._layer.spec)
        self._reverse = bool(reverse)

    @classmethod
    def from_torch(cls, module: Any, layer: int = 0, reverse: bool = False, *, prefix: str = "",
                   weights: str = "f32") -> SkimReader:
        """A plain reader with the weights of one layer and direction of a torch.nn.LSTM, GRU or RNN (tanh).

        `module` is such a module, or its state dict: a mapping from names like "weight_ih_l0" to tensors or arrays, in
        which `prefix` goes before each name. Torch itself is not needed for arrays.
        """
        spec, tensors = _torch.converted(module, layer, bool(reverse), prefix)
        return cls(spec, tensors, weights=weights, reverse=reverse)

    @property
    def spec(self) -> Dict[str, Any]:
        """A copy of what it was made from, with all fields."""
        return json.loads(json.dumps(self._spec))  # type: ignore[no-any-return]

    @property
    def input(self) -> int:
        """Width of the rows it reads."""
        return int(self._spec["input"])

    @property
    def hidden(self) -> int:
        """Width of the rows it gives."""
        return int(self._spec["hidden"])

    @property
    def reverse(self) -> bool:
        return self._reverse

    def start(self, hidden: Any = None, cell: Any = None) -> State:
        """The state to begin with: zero, or the values given (`cell` is for LSTMs)."""
        if cell is not None and self._spec["cell"] != "lstm":
            raise Error(f"a {self._spec['cell']} has no cell state")
        return self._layer.start(self._state_part(hidden, "hidden"), self._state_part(cell, "cell"))

    def _state_part(self, given: Any, what: str) -> Floats:
        if given is None:
            return np.zeros(self.hidden, dtype=np.float32)
        values = floats(given, what)
        if values.shape != (self.hidden,):
            raise Error(f"{what} has the shape {values.shape}, it must be ({self.hidden},)")
        return finite(values, what)

    def __call__(self, rows: Any, state: Optional[State] = None, *, threshold: Optional[float] = None,
                 rule: Optional[str] = None, seed: Optional[int] = None) -> Output:
        """Reads rows ([count, input]) on from `state`, which stays as it was. Reading in chunks equals reading at once.

        Other Python threads run meanwhile. `threshold`, `rule` and `seed` are those of `Model.read`.
        """
        given = floats(rows, "rows")
        if given.ndim != 2 or given.shape[1] != self.input:
            raise Error(f"rows has the shape {given.shape}, it must be (count, {self.input})")
        if state is None:
            state = self.start()
        if not isinstance(state, State):
            raise TypeError(f"state must come from start or from an output of a reader, not be a {type(state).__name__}")
        finite(given, "rows")
        policy = policy_parts(threshold, None, rule, seed)
        if self._reverse:
            given = np.ascontiguousarray(given[::-1])
        out, after, widths, p_read = self._layer.read(given, policy, state)
        if self._reverse:
            out, widths, p_read = out[::-1], widths[::-1], p_read[::-1]
        return Output(out, after, Steps(widths, p_read))

    def __repr__(self) -> str:
        way = ", reversed" if self._reverse else ""
        return f"<skim.SkimReader {self._spec['kind']} {self._spec['cell']}, {self.input} to {self.hidden}{way}>"


def entries(given: Any, what: str) -> List[Any]:
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a mapping, not {type(given).__name__}")
    return list(given.items())


def spec_text(spec: Mapping[str, Any]) -> str:
    """The spec as JSON, with what most readers have in common filled in."""
    given = dict(entries(spec, "spec"))
    small = given.setdefault("small", [])
    given.setdefault("kind", "skim" if small else "full")
    given.setdefault("small_sees", "head")
    given.setdefault("decision", "linear")
    try:
        return json.dumps(given, default=plain_number)
    except (TypeError, ValueError) as error:
        raise TypeError(f"spec: {error}") from None


def plain_number(value: Any) -> Any:
    """What numpy counts with, and tuples' kin."""
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} does not belong in a spec")


def floats(given: Any, what: str) -> Floats:
    """Row-major float32; other floating-point numbers are converted, anything else is refused."""
    array = np.asarray(given)
    if array.dtype.kind != "f":
        raise TypeError(f"{what} must be an array of floating-point numbers, not of {array.dtype}")
    with np.errstate(over="ignore"):  # what does not fit becomes infinite, and is found to be
        return np.ascontiguousarray(array, dtype=np.float32)


def finite(values: Floats, what: str) -> Floats:
    fine = np.isfinite(values)
    if not fine.all():
        where = ", ".join(map(str, np.argwhere(~fine)[0].tolist()))
        raise Error(f"{what}[{where}] is not a finite number")
    return values
