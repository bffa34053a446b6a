"""Names and shapes of a model's tensors, as the table in docs/file-format.md gives them."""
from .readers import GATES


def cell_shapes(cell, inputs, width, seen):
    shapes = {"weight_ih": (GATES[cell] * width, inputs), "weight_hh": (GATES[cell] * width, seen),
              "bias": (GATES[cell] * width,)}
    return {**shapes, "bias_hn": (width,)} if cell == "gru" else shapes


def decision_shapes(reader, inputs):
    levels, d = 1 + len(reader["skim_sizes"]), reader["hidden_size"]
    if reader["decision"] == "dot":
        return {"scale": (levels,), "bias": (levels,)}
    shapes = {"weight_ih": (levels, inputs), "weight_hh": (levels, d), "bias": (levels,)}
    return {**shapes, "weight_ch": (levels, d)} if reader["decision"] == "linear_cell" else shapes


def reader_shapes(reader, inputs):
    cell, d = reader["cell"], reader["hidden_size"]
    parts = {"big": cell_shapes(cell, inputs, d, d)}
    if reader["kind"] == "skim":
        for level, width in enumerate(reader["skim_sizes"], 1):
            if width > 0:
                seen = d if reader["small_input"] == "full" else width
                parts[f"small.{level}"] = cell_shapes(cell, inputs, width, seen)
        parts["decision"] = decision_shapes(reader, inputs)
    if reader["kind"] == "lstm-jump":
        choices = reader["jump"]["max_jump"] + 1
        parts["jump"] = {"weight": (choices, d), "bias": (choices,)}
    if reader["kind"] == "skip-rnn":
        parts["update"] = {"weight": (1, d), "bias": (1,)}
    if reader["kind"] == "vcrnn":
        parts["scheduler"] = {"weight_ih": (1, inputs), "weight_hh": (1, d), "bias": (1,)}
    return {f"{part}.{name}": shape for part, shapes in parts.items() for name, shape in shapes.items()}


def stack_shapes(spec, name, inputs, count):
    directions = ("forward", "backward")[: 2 if spec["bidirectional"] else 1]
    row = spec["reader"]["hidden_size"] * len(directions)
    shapes = {}
    for layer in range(count):
        for direction in directions:
            for part, shape in reader_shapes(spec["reader"], inputs if layer == 0 else row).items():
                shapes[f"{name}.{layer}.{direction}.{part}"] = shape
    return shapes


def bidaf_shapes(spec, row):
    letters, words = spec["char_cnn"], spec["embedding_size"]
    e = words + letters["num_filters"]
    shapes = {**stack_shapes(spec, "contextual", e, 1), **stack_shapes(spec, "modelling", 4 * row, spec["num_layers"]),
              **stack_shapes(spec, "output", row, 1),
              "char_cnn.embedding": (256, letters["embedding_size"]),
              "char_cnn.weight": (letters["num_filters"], letters["kernel_size"] * letters["embedding_size"]),
              "char_cnn.bias": (letters["num_filters"],)}
    for layer in range(2):
        for name, shape in {"weight": (e, e), "bias": (e,), "gate.weight": (e, e), "gate.bias": (e,)}.items():
            shapes[f"highway.{layer}.{name}"] = shape
    for part in ("context", "query", "product"):
        shapes[f"attention.{part}"] = (row,)
    return {**shapes, "start.weight": (5 * row,), "end.weight": (5 * row,)}


def model_shapes(spec):
    words = spec["embedding_size"]
    row = spec["reader"]["hidden_size"] * (2 if spec["bidirectional"] else 1)
    shapes = {"embedding.weight": (spec["vocab_size"], words)}
    if spec["net"] == "bidaf":
        return {**shapes, **bidaf_shapes(spec, row)}
    inputs = 3 * words if spec["net"] == "span" else words
    shapes.update(stack_shapes(spec, "reader", inputs, spec["num_layers"]))
    if spec["net"] == "classifier":
        labels = len(spec["labels"])
        if spec["pooling"] == "attention":
            shapes["pooling.weight"] = (row,)
        shapes.update({"head.weight": (labels, row), "head.bias": (labels,)})
    elif spec["net"] == "cloze":
        shapes.update({"choice.weight": (words, row), "choice.bias": (words,)})
    else:
        shapes.update({"attention.query": (words,), "attention.product": (words,), "start.weight": (row,),
                       "end.weight": (row,)})
    return shapes
