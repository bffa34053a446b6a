"""What PyTorch makes of the same weights: the base case of the NumPy models is an implementation by others."""
import contextlib

import numpy as np
import torch

from . import nets
from .readers import Reader, run_cell

# Both compute in 64 bits and add in another order.
SAME = 1e-12


def load_stack(model, name, inputs, count):
    """The dense readers of a stack as torch.nn.LSTM, GRU or RNN."""
    spec, reader = model.spec, model.spec["reader"]
    kind = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}[reader["cell"]]
    module = kind(inputs, reader["hidden_size"], num_layers=count, bidirectional=spec["bidirectional"]).double()
    state = {}
    for layer in range(count):
        for direction, ending in (("forward", ""), ("backward", "_reverse"))[: 2 if spec["bidirectional"] else 1]:
            part = lambda tensor: model.tensors[f"{name}.{layer}.{direction}.big.{tensor}"]
            bias_hh = np.zeros_like(part("bias"))
            if reader["cell"] == "gru":
                bias_hh[-reader["hidden_size"]:] = part("bias_hn")
            values = {"weight_ih": part("weight_ih"), "weight_hh": part("weight_hh"), "bias_ih": part("bias"),
                      "bias_hh": bias_hh}
            state.update({f"{key}_l{layer}{ending}": torch.tensor(value) for key, value in values.items()})
    module.load_state_dict(state)
    return module


class TorchModel(nets.Model):
    """A dense model whose recurrent layers, convolution and highway products are PyTorch's."""

    @torch.no_grad()
    def stack(self, name, tokens, policy, count, label=None):
        label = f"{name}." if label is None else label
        directions = ("forward", "backward")[: 2 if self.spec["bidirectional"] else 1]
        size, length = self.spec["reader"]["hidden_size"], len(tokens.rows)
        self.passes += [{"reader": f"{label}{layer}.{direction}", "widths": [size] * length, "p_read": [1.0] * length}
                        for layer in range(count) for direction in directions]
        if length == 0:
            return np.zeros((0, size * len(directions))), np.zeros(size * len(directions))
        module = load_stack(self, name, tokens.rows.shape[1], count)
        rows, state = module(torch.tensor(np.array(tokens.rows))[:, None])
        hidden = state[0] if self.spec["reader"]["cell"] == "lstm" else state
        return rows[:, 0].numpy(), hidden[-len(directions):, 0].flatten().numpy()

    @torch.no_grad()
    def char_cnn(self, letters):
        spec, filters = self.spec["char_cnn"], torch.tensor(self.tensors["char_cnn.weight"])
        filters = filters.view(spec["num_filters"], spec["kernel_size"], spec["embedding_size"]).transpose(1, 2)
        table = torch.tensor(self.tensors["char_cnn.embedding"])
        rows = torch.nn.functional.embedding(torch.tensor(list(letters)), table)
        responses = torch.nn.functional.conv1d(rows.T[None], filters, torch.tensor(self.tensors["char_cnn.bias"]),
                                               padding=spec["kernel_size"] // 2)
        return torch.relu(responses)[0].max(dim=1).values.numpy()


@torch.no_grad()
def torch_cell(cell, weights, x, seen, h, c):
    """One step of torch.nn.LSTMCell, GRUCell or RNNCell; they see as many units as they renew."""
    if len(seen) != len(h):
        return run_cell(cell, weights, x, seen, h, c)
    kind = {"lstm": torch.nn.LSTMCell, "gru": torch.nn.GRUCell, "rnn": torch.nn.RNNCell}[cell]
    module = kind(len(x), len(h)).double()
    bias_hh = np.zeros_like(weights["bias"])
    if cell == "gru":
        bias_hh[-len(h):] = weights["bias_hn"]
    values = {"weight_ih": weights["weight_ih"], "weight_hh": weights["weight_hh"], "bias_ih": weights["bias"],
              "bias_hh": bias_hh}
    module.load_state_dict({name: torch.tensor(value) for name, value in values.items()})
    row = lambda value: torch.tensor(value)[None]
    if cell == "lstm":
        h, c = module(row(x), (row(seen), row(c)))
        return h[0].numpy(), c[0].numpy()
    return module(row(x), row(seen))[0].numpy(), c


@contextlib.contextmanager
def torch_cells():
    """Readers run PyTorch's cells inside of this."""
    Reader.run_cell = staticmethod(torch_cell)
    try:
        yield
    finally:
        Reader.run_cell = staticmethod(run_cell)


def compare(model, query, policy, expected):
    """Holds a model against PyTorch: a dense one whole, of others the cells."""
    kind = TorchModel if model.spec["reader"]["kind"] == "dense" else nets.Model
    with torch_cells():
        other = kind(model.spec, model.vocabulary, model.tensors).read(query, policy)
    assert np.abs(other["scores"] - expected["scores"]).max() < SAME, (model.spec, query)
    assert other["answer"]["text"] == expected["answer"]["text"]
    for ours, theirs in zip(expected["trace"], other["trace"], strict=True):
        assert (ours["reader"], ours["widths"]) == (theirs["reader"], theirs["widths"])
        assert np.allclose(ours["p_read"], theirs["p_read"], rtol=0, atol=SAME)
