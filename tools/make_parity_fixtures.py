#!/usr/bin/env python3
"""Writes tests/parity/fixtures: readers computed in double precision by a second implementation, one file per case.

usage: tools/make_parity_fixtures.py [FOLDER]

Needs Debian's python3-numpy. Where python3-torch is installed too, the dense cells are also compared with torch.nn's,
so that the reference itself rests on something. Weights and inputs are whole multiples of 1/128, which 32-bit floats
hold exactly: both sides compute from the same numbers. The files are committed; running this again gives them back.
"""
import dataclasses
import pathlib
import sys
import zlib

import numpy as np

UNIT = 128
ROWS = 14
GATES = {"lstm": 4, "gru": 3, "rnn": 1}
# A decision this close to its threshold could fall either way in 32 bits; such cases are drawn again.
MARGIN = 0.01


@dataclasses.dataclass
class Case:
    cell: str
    input_size: int
    hidden_size: int
    skim_sizes: tuple = ()
    small_input: str = "prefix"
    decision: str = "linear"
    threshold: float = 0.5

    @property
    def kind(self):
        return "skim" if self.skim_sizes else "dense"

    @property
    def name(self):
        parts = [self.cell, self.kind, f"{self.input_size}x{self.hidden_size}"]
        if self.skim_sizes:
            parts += ["-".join(map(str, self.skim_sizes)), self.small_input, self.decision, f"at{self.threshold:g}"]
        return "_".join(parts)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def tensor_shapes(case):
    gates, d, n, k = GATES[case.cell], case.hidden_size, case.input_size, 1 + len(case.skim_sizes)
    shapes = {}

    def add_cell(prefix, width, seen):
        shapes[prefix + ".weight_ih"] = (gates * width, n)
        shapes[prefix + ".weight_hh"] = (gates * width, seen)
        shapes[prefix + ".bias"] = (gates * width,)
        if case.cell == "gru":
            shapes[prefix + ".bias_hn"] = (width,)

    add_cell("big", d, d)
    for level, width in enumerate(case.skim_sizes, 1):
        if width:
            add_cell(f"small.{level}", width, d if case.small_input == "full" else width)
    if case.skim_sizes and case.decision == "dot":
        shapes["decision.scale"] = (k,)
    elif case.skim_sizes:
        shapes["decision.weight_ih"], shapes["decision.weight_hh"] = (k, n), (k, d)
        if case.decision == "linear_cell":
            shapes["decision.weight_ch"] = (k, d)
    if case.skim_sizes:
        shapes["decision.bias"] = (k,)
    return shapes


def run_cell(case, tensors, prefix, width, x, h, c):
    """The first `width` entries of the new state."""
    w, u, b = (tensors[f"{prefix}.{part}"] for part in ("weight_ih", "weight_hh", "bias"))
    seen = h[: u.shape[1]]
    if case.cell == "rnn":
        return np.tanh(w @ x + u @ seen + b), None
    if case.cell == "gru":
        wx, uh = (w @ x + b).reshape(3, width), (u @ seen).reshape(3, width)
        reset, update = sigmoid(wx[0] + uh[0]), sigmoid(wx[1] + uh[1])
        new = np.tanh(wx[2] + reset * (uh[2] + tensors[prefix + ".bias_hn"]))
        return (1 - update) * new + update * h[:width], None
    i, f, g, o = (w @ x + u @ seen + b).reshape(4, width)
    cell = sigmoid(f) * c[:width] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(cell), cell


def probabilities(case, tensors, x, h, c):
    if case.decision == "dot":
        common = min(case.input_size, case.hidden_size)
        logits = tensors["decision.scale"] * (x[:common] @ h[:common]) + tensors["decision.bias"]
    else:
        logits = tensors["decision.weight_ih"] @ x + tensors["decision.weight_hh"] @ h + tensors["decision.bias"]
        if case.decision == "linear_cell":
            logits = logits + tensors["decision.weight_ch"] @ c
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def read(case, tensors, rows):
    """Hidden state after each row, width and p_read of each step, and the smallest distance from the threshold."""
    h, c = np.zeros(case.hidden_size), np.zeros(case.hidden_size)
    out, widths, p_read, margin = [], [], [], 1.0
    for x in rows:
        level, p = 0, np.array([1.0])
        if case.skim_sizes:
            p = probabilities(case, tensors, x, h, c)
            reached = np.cumsum(p)[:-1]
            margin = min(margin, np.abs(reached - case.threshold).min())
            above = np.flatnonzero(reached > case.threshold)
            level = int(above[0]) if above.size else len(case.skim_sizes)
        width = case.hidden_size if level == 0 else case.skim_sizes[level - 1]
        if width:
            prefix = "big" if level == 0 else f"small.{level}"
            new_h, new_c = run_cell(case, tensors, prefix, width, x, h, c)
            h = np.concatenate([new_h, h[width:]])
            c = c if new_c is None else np.concatenate([new_c, c[width:]])
        out.append(h)
        widths.append(width)
        p_read.append(p[0])
    return np.array(out), widths, np.array(p_read), margin


def seed(case):
    """The seed of the stored fixtures: a checksum of the name that the case had in version 1 of the file format."""
    names = {"dense": "full", "prefix": "head", "full": "all"}
    return zlib.crc32("_".join(names.get(part, part) for part in case.name.split("_")).encode())


def draw(case):
    """The first drawing in which every level comes up at least twice and no decision is a close call."""
    for attempt in range(10000):
        rng = np.random.default_rng([seed(case), attempt])
        tensors = {}
        for name, shape in tensor_shapes(case).items():
            bound = 2.0 if name.startswith("decision") else 2.0 / np.sqrt(shape[-1]) if len(shape) == 2 else 0.5
            tensors[name] = np.round(rng.uniform(-bound, bound, shape) * UNIT) / UNIT
        rows = np.round(rng.uniform(-1, 1, (ROWS, case.input_size)) * UNIT) / UNIT
        result = read(case, tensors, rows)
        widths = [case.hidden_size, *case.skim_sizes]
        if result[3] > MARGIN and all(result[1].count(width) >= 2 for width in widths):
            return tensors, rows, result
    raise RuntimeError(f"{case.name}: no drawing uses all levels")


def check_with_torch(case, tensors, rows, expected):
    import torch

    module = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn": torch.nn.RNN}[case.cell](case.input_size, case.hidden_size)
    module = module.double()
    bias_h = np.zeros_like(tensors["big.bias"])
    if case.cell == "gru":
        bias_h[2 * case.hidden_size:] = tensors["big.bias_hn"]
    values = {"weight_ih_l0": tensors["big.weight_ih"], "weight_hh_l0": tensors["big.weight_hh"], "bias_ih_l0": tensors["big.bias"],
              "bias_hh_l0": bias_h}
    module.load_state_dict({name: torch.tensor(value) for name, value in values.items()})
    with torch.no_grad():
        out = module(torch.tensor(rows)[:, None])[0][:, 0].numpy()
    assert np.abs(out - expected).max() < 1e-12, case.name


def numbers(values, form):
    return " ".join(form(v) for v in np.asarray(values).ravel())


def write(case, folder, tensors, rows, result):
    out, widths, p_read, _ = result
    whole = lambda v: str(int(round(v * UNIT)))
    lines = [
        f"kind {case.kind}", f"cell {case.cell}", f"input_size {case.input_size}", f"hidden_size {case.hidden_size}",
        f"skim_sizes {len(case.skim_sizes)} {' '.join(map(str, case.skim_sizes))}".rstrip(), f"small_input {case.small_input}",
        f"decision {case.decision}", f"threshold {case.threshold:g}", f"unit {UNIT}", f"tensors {len(tensors)}",
    ]
    for name, values in tensors.items():
        lines.append(f"{name} {values.ndim} {' '.join(map(str, values.shape))} {numbers(values, whole)}")
    lines.append(f"rows {len(rows)} {numbers(rows, whole)}")
    lines.append(f"out {numbers(out, lambda v: f'{v:.7f}')}")
    lines.append(f"widths {numbers(widths, str)}")
    lines.append(f"p_read {numbers(p_read, lambda v: f'{v:.7f}')}")
    (folder / f"{case.name}.txt").write_text("\n".join(lines) + "\n", encoding="ascii")


def cases():
    for cell in GATES:
        yield Case(cell, 3, 1)
        yield Case(cell, 7, 9)
        yield Case(cell, 12, 17)
        for small_input in ("prefix", "full"):
            yield Case(cell, 7, 9, (3,), small_input)
            yield Case(cell, 5, 11, (8, 3), small_input, threshold=0.4)
        yield Case(cell, 7, 9, (0,))
        yield Case(cell, 6, 10, (4, 0))
        yield Case(cell, 7, 9, (3,), decision="dot")
        yield Case(cell, 12, 8, (5, 2), decision="dot", threshold=0.3)
    yield Case("lstm", 7, 9, (3,), decision="linear_cell")
    yield Case("lstm", 7, 9, (4, 2), "full", "linear_cell", 0.6)
    yield Case("lstm", 10, 33, (10,))


def main():
    default = pathlib.Path(__file__).parent.parent / "tests/parity/fixtures"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import torch  # noqa: F401
        has_torch = True
    except ImportError:
        has_torch = False
    count = 0
    for case in cases():
        tensors, rows, result = draw(case)
        if has_torch and case.kind == "dense":
            check_with_torch(case, tensors, rows, result[0])
        write(case, folder, tensors, rows, result)
        count += 1
    print(f"{count} cases in {folder}, dense cells {'agree with torch' if has_torch else 'not compared with torch'}")


if __name__ == "__main__":
    main()
