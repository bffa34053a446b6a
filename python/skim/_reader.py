"""SkimReader: a recurrent layer over rows of numbers, without text."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _skim, _torch
from ._errors import Error
from ._policy import policy_parts
from ._skim import LayerState as State

WEIGHT_TYPES = ("f32", "bf16", "int8")
Floats = npt.NDArray[np.float32]


class Steps(NamedTuple):
    """The decisions, one per row."""

    widths: npt.NDArray[np.uint16]  # hidden units updated
    p_read: Floats


class Output(NamedTuple):
    rows: Floats  # [count, hidden_size]: the hidden state after each row
    state: State  # the state after the last row
    steps: Steps


class SkimReader:
    """One recurrent layer in one direction, skimming or dense. Immutable and thread-safe.

    `spec` has the fields of `reader` in docs/file-format.md; `cell`, `input_size` and `hidden_size` are required, the
    others have defaults. `tensors` maps the names given there, without the prefix of the reader ("big.weight_ih",
    "small.1.weight_hh", "decision.bias"), to arrays. With `reverse` it reads rows from the last to the first; outputs
    stay in the order of the rows.
    """

    __slots__ = ("_layer", "_spec", "_reverse")

    def __init__(self, spec: Mapping[str, Any], tensors: Mapping[str, Any], *, weight_type: str = "f32",
                 reverse: bool = False) -> None:
        if weight_type not in WEIGHT_TYPES:
            raise Error(f"weight_type is {weight_type!r}, expected one of {', '.join(WEIGHT_TYPES)}")
        named = [(str(name), to_float32(values, f"tensor '{name}'"))
                 for name, values in mapping_items(tensors, "tensors")]
        self._layer = _skim.Layer.create(to_spec_json(spec), named, weight_type)
        self._spec: Dict[str, Any] = json.loads(self._layer.spec)
        self._reverse = bool(reverse)

    @classmethod
    def from_torch(cls, module: Any, layer: int = 0, reverse: bool = False, *, prefix: str = "",
                   weight_type: str = "f32") -> SkimReader:
        """A dense reader with the weights of one layer and direction of a torch.nn.LSTM, GRU or RNN (tanh).

        `module` is such a module, or its state dict: a mapping from names like "weight_ih_l0" to tensors or arrays.
        `prefix` precedes each name. PyTorch is not required for arrays.
        """
        spec, tensors = _torch.convert_layer(module, layer, bool(reverse), prefix)
        return cls(spec, tensors, weight_type=weight_type, reverse=reverse)

    @property
    def spec(self) -> Dict[str, Any]:
        """A copy of the spec, with all fields."""
        return json.loads(json.dumps(self._spec))  # type: ignore[no-any-return]

    @property
    def input_size(self) -> int:
        """The width of the input rows."""
        return int(self._spec["input_size"])

    @property
    def hidden_size(self) -> int:
        """The width of the output rows."""
        return int(self._spec["hidden_size"])

    @property
    def reverse(self) -> bool:
        return self._reverse

    def start(self, hidden: Any = None, cell: Any = None) -> State:
        """The initial state: zero, or the given values (`cell` for LSTMs only)."""
        if cell is not None and self._spec["cell"] != "lstm":
            raise Error(f"a {self._spec['cell']} has no cell state")
        return self._layer.start(self._state_vector(hidden, "hidden"), self._state_vector(cell, "cell"))

    def _state_vector(self, values: Any, name: str) -> Floats:
        if values is None:
            return np.zeros(self.hidden_size, dtype=np.float32)
        array = to_float32(values, name)
        if array.shape != (self.hidden_size,):
            raise Error(f"{name} has the shape {array.shape}, expected ({self.hidden_size},)")
        return check_finite(array, name)

    def __call__(self, rows: Any, state: Optional[State] = None, *, threshold: Optional[float] = None,
                 rule: Optional[str] = None, seed: Optional[int] = None) -> Output:
        """Reads rows of shape [count, input_size], starting from `state`, which is not modified.

        Reading in chunks equals reading at once. `threshold`, `rule` and `seed` are those of `Model.read`. Releases the
        GIL.
        """
        array = to_float32(rows, "rows")
        if array.ndim != 2 or array.shape[1] != self.input_size:
            raise Error(f"rows has the shape {array.shape}, expected (count, {self.input_size})")
        if state is None:
            state = self.start()
        if not isinstance(state, State):
            raise TypeError(f"state must be a State, as start and the reader return it, not {type(state).__name__}")
        check_finite(array, "rows")
        policy = policy_parts(threshold, None, rule, seed)
        if self._reverse:
            array = np.ascontiguousarray(array[::-1])
        out, final_state, widths, p_read = self._layer.read(array, policy, state)
        if self._reverse:
            out, widths, p_read = out[::-1], widths[::-1], p_read[::-1]
        return Output(out, final_state, Steps(widths, p_read))

    def __repr__(self) -> str:
        direction = ", reversed" if self._reverse else ""
        sizes = f"{self.input_size} to {self.hidden_size}"
        return f"<skim.SkimReader {self._spec['kind']} {self._spec['cell']}, {sizes}{direction}>"


def mapping_items(mapping: Any, name: str) -> List[Any]:
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(mapping).__name__}")
    return list(mapping.items())


def to_spec_json(spec: Mapping[str, Any]) -> str:
    """The spec as JSON, with defaults filled in."""
    fields = dict(mapping_items(spec, "spec"))
    skim_sizes = fields.setdefault("skim_sizes", [])
    fields.setdefault("kind", "skim" if skim_sizes else "dense")
    fields.setdefault("small_input", "prefix")
    fields.setdefault("decision", "linear")
    try:
        return json.dumps(fields, default=to_builtin)
    except (TypeError, ValueError) as error:
        raise TypeError(f"spec: {error}") from None


def to_builtin(value: Any) -> Any:
    """Converts NumPy integers and arrays for JSON."""
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a valid type in a spec")


def to_float32(values: Any, name: str) -> Floats:
    """A row-major float32 array. Converts other floating-point types and rejects the rest."""
    array = np.asarray(values)
    if array.dtype.kind != "f":
        raise TypeError(f"{name} must be an array of floating-point numbers, not of {array.dtype}")
    with np.errstate(over="ignore"):  # values out of range become infinite; check_finite rejects them
        return np.ascontiguousarray(array, dtype=np.float32)


def check_finite(values: Floats, name: str) -> Floats:
    is_finite = np.isfinite(values)
    if not is_finite.all():
        index = ", ".join(map(str, np.argwhere(~is_finite)[0].tolist()))
        raise Error(f"{name}[{index}] is not a finite number")
    return values
