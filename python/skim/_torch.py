"""Weights of torch.nn.LSTM, GRU and RNN as those of a plain reader. Knows torch by its names only."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

import numpy as np
import numpy.typing as npt

from ._errors import Error
from ._policy import whole_number

Floats = npt.NDArray[np.float32]

# Gates by kind of cell: the matrices have so many blocks of rows, in the order that we use, too.
CELL_OF_GATES = {4: "lstm", 3: "gru", 1: "rnn"}


def converted(module: Any, layer: int, reverse: bool, prefix: str) -> Tuple[Dict[str, Any], Dict[str, Floats]]:
    """Spec and tensors of one layer and direction."""
    state = state_of(module)
    suffix = f"_l{whole_number(layer, 'layer', 1 << 16)}" + ("_reverse" if reverse else "")
    if f"{prefix}weight_hr{suffix}" in state:
        raise Error("the LSTM projects its output (proj_size), which no reader here does")
    w, u = (matrix(state, prefix + name + suffix) for name in ("weight_ih", "weight_hh"))
    units = u.shape[1]
    gates, rest = divmod(u.shape[0], units) if units else (0, 1)
    if rest or gates not in CELL_OF_GATES or w.shape[0] != u.shape[0]:
        raise Error(f"weight_ih{suffix} and weight_hh{suffix} are {w.shape} and {u.shape}, "
                    "which is neither an LSTM nor a GRU nor an RNN")
    cell = CELL_OF_GATES[gates]
    check_kind(module, cell)
    inner, outer = (bias(state, prefix + name + suffix, u.shape[0]) for name in ("bias_ih", "bias_hh"))
    tensors = {"big.w": w, "big.u": u, "big.b": inner + outer}
    if cell == "gru":
        # The reset gate scales the product with the state together with its bias, so that one stays by itself.
        tensors["big.b"][2 * units:] = inner[2 * units:]
        tensors["big.bn"] = outer[2 * units:]
    return {"kind": "full", "cell": cell, "input": w.shape[1], "hidden": units, "small": []}, tensors


def state_of(module: Any) -> Mapping[str, Any]:
    state = module.state_dict() if hasattr(module, "state_dict") else module
    if not isinstance(state, Mapping):
        raise TypeError(f"module must be a torch module or a mapping of its weights, not {type(module).__name__}")
    return state


def check_kind(module: Any, cell: str) -> None:
    """Of a state dict there is nothing more to know; a module may say that its weights mean something else."""
    nonlinearity = getattr(module, "nonlinearity", "tanh")
    if cell == "rnn" and nonlinearity != "tanh":
        raise Error(f"the RNN uses {nonlinearity}, readers use tanh")
    mode = getattr(module, "mode", None)
    if isinstance(mode, str) and mode.split("_")[0].lower() != cell:
        raise Error(f"the module calls itself {mode}, its weights are those of a {cell}")


def matrix(state: Mapping[str, Any], name: str) -> Floats:
    if name not in state:
        known = ", ".join(sorted(map(str, state))[:8]) or "nothing"
        raise Error(f"there is no {name}; there is {known}")
    values = array_of(state[name], name)
    if values.ndim != 2:
        raise Error(f"{name} has the shape {values.shape}, it must be a matrix")
    return values


def bias(state: Mapping[str, Any], name: str, rows: int) -> Floats:
    """Zeros where the module has none (bias=False)."""
    if name not in state:
        return np.zeros(rows, dtype=np.float32)
    values = array_of(state[name], name)
    if values.shape != (rows,):
        raise Error(f"{name} has the shape {values.shape}, it must be ({rows},)")
    return values


def array_of(value: Any, name: str) -> Floats:
    """A tensor or an array as float32; numpy has no name for some of the types tensors may have."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().float().numpy()
    array = np.asarray(value)
    if array.dtype.kind != "f":
        raise TypeError(f"{name} must be an array of floating-point numbers, not of {array.dtype}")
    return np.array(array, dtype=np.float32)
