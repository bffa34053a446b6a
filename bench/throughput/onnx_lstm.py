"""Writes a dense LSTM classifier with ONNX's own LSTM operator, for batches of texts of different lengths.

`skim export` writes a loop over the words of one text instead, because it must be able to skim.
"""
import array
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
from onnx_model import FLOAT, INT8, field, model, quantize, reorder, tensor  # noqa: E402

INT32, INT64 = 6, 7  # TensorProto.DataType
INTEGER = 2  # AttributeProto.AttributeType


def value_info(name, kind, dims):
    """Dimensions are names: every run may have other extents."""
    shape = b"".join(field(1, field(2, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def node(kind, inputs, outputs, domain="", **integers):
    text = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs) + field(4, kind)
    for name, value in integers.items():
        text += field(5, field(1, name) + field(3, value) + field(20, INTEGER))
    return text + (field(7, domain) if domain else b"")


def axes(name, axis):
    return tensor(name, (1,), INT64, struct.pack("<q", axis))


def matrix(name, rows, columns, values, eight_bits):
    """Initializers of a weight matrix of the LSTM whose gates are in PyTorch's order."""
    ordered = reorder(array.array("f", values), rows, columns)
    if not eight_bits:
        return [tensor(name, (1, rows, columns), FLOAT, ordered.tobytes())]
    data, scale = quantize(ordered, rows, columns)
    return [tensor(name, (1, columns, rows), INT8, data),
            tensor(f"{name}_scale", (1,), FLOAT, struct.pack("<f", scale)), tensor(f"{name}_zero", (1,), INT8, b"\0")]


def lstm(hidden, eight_bits):
    inputs, outputs = ["rows", "W", "R", "B", "lengths"], ["states", "last"]
    if not eight_bits:
        return node("LSTM", inputs, outputs, hidden_size=hidden)
    inputs += ["", "", "", "W_scale", "W_zero", "R_scale", "R_zero"]
    return node("DynamicQuantizeLSTM", inputs, outputs, "com.microsoft", hidden_size=hidden)


def pooling(weights, hidden):
    """Nodes and initializers from `states` [words, 1, texts, hidden] and `last` [1, texts, hidden] to `pooled`."""
    if "pooling.weight" not in weights:
        return [node("Squeeze", ["last", "axis0"], ["pooled"])], [axes("axis0", 0)]
    nodes = [node("Squeeze", ["states", "axis1"], ["hidden"]), node("MatMul", ["hidden", "pool"], ["logits"]),
             node("Add", ["logits", "mask"], ["masked"]), node("Softmax", ["masked"], ["attention"], axis=0),
             node("Mul", ["hidden", "attention"], ["weighted"]),
             node("ReduceSum", ["weighted", "axis0"], ["pooled"], keepdims=0)]
    return nodes, [axes("axis0", 0), axes("axis1", 1), tensor("pool", (hidden, 1), FLOAT, weights["pooling.weight"][1])]


def build(weights, eight_bits=False):
    """The bytes of an ONNX file. `weights` maps the names of a model file, without "reader.0.forward.big.", to shape
    and f32 bytes. Inputs: words [words, texts], lengths [texts] and, with attention pooling, mask [words, texts, 1],
    which is added to the attention's logits. Output: answers [texts], the index of the label."""
    (rows, columns), (_, hidden) = weights["weight_ih"][0], weights["weight_hh"][0]
    bias = reorder(array.array("f", weights["bias"][1]), rows, 1) + array.array("f", bytes(4 * rows))
    pool_nodes, pool_tensors = pooling(weights, hidden)
    nodes = [node("Gather", ["embedding", "words"], ["rows"], axis=0), lstm(hidden, eight_bits), *pool_nodes,
             node("Gemm", ["pooled", "head", "head_bias"], ["scores"], transB=1),
             node("ArgMax", ["scores"], ["answers"], axis=1, keepdims=0)]
    initializers = [tensor(name, weights[key][0], FLOAT, weights[key][1]) for name, key in
                    (("embedding", "embedding.weight"), ("head", "head.weight"), ("head_bias", "head.bias"))]
    initializers += matrix("W", rows, columns, weights["weight_ih"][1], eight_bits)
    initializers += matrix("R", rows, hidden, weights["weight_hh"][1], eight_bits)
    initializers += [tensor("B", (1, 2 * rows), FLOAT, bias.tobytes()), *pool_tensors]
    inputs = [value_info("words", INT64, ("words", "texts")), value_info("lengths", INT32, ("texts",))]
    if "pooling.weight" in weights:
        inputs.append(value_info("mask", FLOAT, ("words", "texts", "one")))
    return model(nodes, initializers, inputs, [value_info("answers", INT64, ("texts",))])
