#!/usr/bin/env python3
"""Writes tests/oracles/*.json: small random models, queries, and what an independent program computes for them.

usage: tools/make_oracle_fixtures.py [--check] [FOLDER]

The program (tools/oracle) computes in double precision with NumPy. It was written from docs/file-format.md,
docs/decisions and the papers, not from src/. Needs Debian's python3-numpy. Where python3-torch is installed, dense
models are compared with torch.nn.LSTM, GRU and RNN, the cells of other readers with LSTMCell, GRUCell and RNNCell, and
the fixture of the optimizer comes from torch.optim.Adam; without it adam.json stays as it is. Weights are multiples of
1/64, which 32-bit floats hold exactly, so both sides compute from the same numbers. Running the program again gives
the same bytes; --check fails where they differ.
"""
import argparse
import json
import pathlib
import random
import sys

try:
    import numpy as np
except ImportError:
    print("needs numpy (Debian's python3-numpy)", file=sys.stderr)
    sys.exit(77)  # skipped, to ctest

sys.dont_write_bytecode = True
from oracle import cases
from oracle.nets import Model
from oracle.readers import Policy
from oracle.shapes import model_shapes

try:
    import torch  # noqa: F401

    from oracle import adam, torch_check
except ImportError:
    torch_check = adam = None

UNIT = 64
# Rounding to 32 bits could turn around a decision or an answer that is closer than this; such draws are rejected.
MARGIN = 1e-3
ATTEMPTS = 20000


def bound(name, shape):
    """The largest weight: states should move, decisions should vary, scores should not saturate."""
    if name == "embedding.weight":
        return 1.0
    if name.endswith("update.bias"):
        return 1.0
    if name.endswith(("bias", "bias_hn")):
        return 0.4
    spread = 1.7 / np.sqrt(shape[-1])
    if name.startswith(("start", "end", "pooling")):
        return 4 * spread
    if ".jump." in name or ".decision." in name or name.startswith(("attention", "choice")):
        return 2 * spread
    return spread


def draw_tensors(spec, chance):
    tensors = {}
    for name, shape in model_shapes(spec).items():
        largest = int(bound(name, shape) * UNIT)
        count = int(np.prod(shape))
        whole = [int(chance.random() * (2 * largest + 1)) - largest for _ in range(count)]
        if name.endswith("update.bias"):  # below zero, so that updates pause
            whole = [-abs(value) for value in whole]
        if name == "char_cnn.embedding":  # bytes that no text holds are zero: shorter files
            whole = [value if at // shape[1] in cases.BYTES else 0 for at, value in enumerate(whole)]
        tensors[name] = np.array(whole, dtype=np.float64).reshape(shape) / UNIT
    return tensors


def is_varied(spec, results):
    """Whether the queries exercise what the reader can do."""
    reader = spec["reader"]
    if reader["kind"] == "dense" or reader.get("jump", {}).get("max_jumps") == 0:
        return True
    passes = {}
    for query, result in results:
        if query["threshold"] not in (0, 1):
            for one in result["trace"]:
                passes.setdefault(one["reader"], []).append(one["widths"])
    used = [set().union(*traces) for traces in passes.values()]
    levels = {reader["hidden_size"], *reader["skim_sizes"]} if reader["kind"] == "skim" else {0, 1}
    if len(levels) > len(set().union(*used)):
        return False
    if reader["kind"] in ("lstm-jump", "skip-rnn") and not any(map(resumes, sum(passes.values(), []))):
        return False
    # A pass over a short question may be read whole.
    return sum(len(widths) > 1 for widths in used) >= (len(used) if len(used) <= 4 else 1 + len(used) // 2)


def resumes(widths):
    """Whether tokens are left out between two that are read."""
    read = [at for at, width in enumerate(widths) if width > 0]
    return any(later - earlier > 1 for earlier, later in zip(read, read[1:]))


def is_spread(spec, results):
    """Whether the scores say something: nearly all on one answer would hide errors."""
    first = results[0][1]["scores"]
    return spec["net"] in ("span", "bidaf") or (max(first) < 0.9 and max(first) - min(first) > 0.1)


def draw(name, spec, queries):
    """The first model in which all queries are decided clearly and the reader does all it can."""
    vocabulary = ["<unknown>", *cases.WORDS]
    for attempt in range(ATTEMPTS):
        tensors = draw_tensors(spec, random.Random(f"{name} {attempt}"))
        model = Model(spec, vocabulary, tensors)
        results = []
        for query in queries:
            results.append((query, model.read(query, Policy(query["threshold"], query["rule"]))))
            if min(model.margins) < MARGIN:
                break
        else:
            cut = model.cut_answer or not name.endswith(cases.LONGEST_ANSWER)
            if cut and is_varied(spec, results) and is_spread(spec, results):
                return model, results
    raise RuntimeError(f"{name}: no draw of {ATTEMPTS} fits")


def rounded(values, digits):
    """Numbers of so many decimals; 0 and 1 as whole numbers, which are shorter."""
    return [int(value) if value in (0, 1) else round(float(value), digits) for value in values]


def result_json(query, result):
    answer = {**result["answer"], "score": round(float(result["answer"]["score"]), 8)}
    trace = [{**one, "p_read": rounded(one["p_read"], 6)} for one in result["trace"]]
    given = {key: value for key, value in query.items() if value or key in ("text", "threshold")}
    return {**given, "answer": answer, "scores": rounded(result["scores"], 8), "trace": trace}


def line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def model_text(name, model, results):
    """A model as JSON, one line per tensor and query."""
    tensors = [line({"name": key, "shape": value.shape, "values": [int(v) for v in np.round(value.ravel() * UNIT)]})
               for key, value in model.tensors.items()]
    queries = [line(result_json(query, result)) for query, result in results]
    return ('{"name":%s,\n"spec":%s,\n"vocabulary":%s,\n"unit":%d,\n"tensors":[\n%s],\n"queries":[\n%s]}'
            % (line(name), line(model.spec), line(model.vocabulary), UNIT, ",\n".join(tensors), ",\n".join(queries)))


def family_text(family):
    """All models of a family, compared with PyTorch where it is installed."""
    texts = []
    for name, spec, queries in cases.FAMILIES[family]():
        model, results = draw(f"{family}: {name}", spec, queries)
        if torch_check:
            for query, result in results:
                torch_check.compare(model, query, Policy(query["threshold"], query["rule"]), result)
        texts.append(model_text(name, model, results))
    return "[\n" + ",\n".join(texts) + "\n]\n", len(texts)


def adam_text():
    made = adam.fixture()
    steps = ",\n".join(line(step) for step in made.pop("steps"))
    return line(made)[:-1] + ',\n"steps":[\n' + steps + "]}\n"


def write(path, text, check):
    """Writes the file, or compares it; returns whether all is well."""
    if not check:
        path.write_text(text, encoding="utf-8")
        return True
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return True
    print(f"{path}: differs from what this program computes", file=sys.stderr)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent / "tests/oracles")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file differs")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    fine = True
    for family in cases.FAMILIES:
        text, count = family_text(family)
        fine = write(options.folder / f"{family}.json", text, options.check) and fine
        print(f"{family}: {count} models{', which agree with PyTorch' if torch_check else ''}")
    if adam:
        fine = write(options.folder / "adam.json", adam_text(), options.check) and fine
    else:
        print("python3-torch is missing: models are not compared with PyTorch, adam.json is not made")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
