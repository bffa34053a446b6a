"""Converts the weights of torch.nn.LSTM, GRU and RNN to those of a dense reader. Does not import torch."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

import numpy as np
import numpy.typing as npt

from ._errors import Error
from ._policy import integer

Floats = npt.NDArray[np.float32]

# Cells by their number of gates. Gate order and row layout are those of torch.
CELL_BY_GATES = {4: "lstm", 3: "gru", 1: "rnn"}


def convert_layer(module: Any, layer: int, reverse: bool, prefix: str) -> Tuple[Dict[str, Any], Dict[str, Floats]]:
    """Spec and tensors of one layer and direction."""
    state = get_state_dict(module)
    suffix = f"_l{integer(layer, 'layer', 1 << 16)}" + ("_reverse" if reverse else "")
    if f"{prefix}weight_hr{suffix}" in state:
        raise Error("the LSTM has an output projection (proj_size), which is not supported")
    w, u = (get_matrix(state, prefix + name + suffix) for name in ("weight_ih", "weight_hh"))
    units = u.shape[1]
    gates, rest = divmod(u.shape[0], units) if units else (0, 1)
    if rest or gates not in CELL_BY_GATES or w.shape[0] != u.shape[0]:
        raise Error(f"weight_ih{suffix} and weight_hh{suffix} have the shapes {w.shape} and {u.shape}, "
                    "which is neither an LSTM nor a GRU nor an RNN")
    cell = CELL_BY_GATES[gates]
    check_cell(module, cell)
    bias_ih, bias_hh = (get_bias(state, prefix + name + suffix, u.shape[0]) for name in ("bias_ih", "bias_hh"))
    tensors = {"big.weight_ih": w, "big.weight_hh": u, "big.bias": bias_ih + bias_hh}
    if cell == "gru":
        # The reset gate scales the recurrent product including its bias, so that bias stays separate.
        tensors["big.bias"][2 * units:] = bias_ih[2 * units:]
        tensors["big.bias_hn"] = bias_hh[2 * units:]
    return {"kind": "dense", "cell": cell, "input_size": w.shape[1], "hidden_size": units, "skim_sizes": []}, tensors


def get_state_dict(module: Any) -> Mapping[str, Any]:
    state = module.state_dict() if hasattr(module, "state_dict") else module
    if not isinstance(state, Mapping):
        raise TypeError(f"module must be a torch module or a mapping of its weights, not {type(module).__name__}")
    return state


def check_cell(module: Any, cell: str) -> None:
    """Rejects modules whose attributes contradict their weights; a state dict has no attributes."""
    nonlinearity = getattr(module, "nonlinearity", "tanh")
    if cell == "rnn" and nonlinearity != "tanh":
        raise Error(f"the RNN uses {nonlinearity}, expected tanh")
    mode = getattr(module, "mode", None)
    if isinstance(mode, str) and mode.split("_")[0].lower() != cell:
        raise Error(f"the mode of the module is {mode}, but its weights are those of a {cell}")


def get_matrix(state: Mapping[str, Any], name: str) -> Floats:
    if name not in state:
        known = ", ".join(sorted(map(str, state))[:8]) or "nothing"
        raise Error(f"no {name} among the weights: {known}")
    values = to_array(state[name], name)
    if values.ndim != 2:
        raise Error(f"{name} has the shape {values.shape}, expected a matrix")
    return values


def get_bias(state: Mapping[str, Any], name: str, rows: int) -> Floats:
    """Zeros if the module has no bias (bias=False)."""
    if name not in state:
        return np.zeros(rows, dtype=np.float32)
    values = to_array(state[name], name)
    if values.shape != (rows,):
        raise Error(f"{name} has the shape {values.shape}, expected ({rows},)")
    return values


def to_array(value: Any, name: str) -> Floats:
    """Converts a tensor or an array to float32, including tensor types without a NumPy equivalent (bfloat16)."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().float().numpy()
    array = np.asarray(value)
    if array.dtype.kind != "f":
        raise TypeError(f"{name} must be an array of floating-point numbers, not of {array.dtype}")
    return np.array(array, dtype=np.float32)
