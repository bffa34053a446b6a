"""Writes a one-layer LSTM as an ONNX file, with f32 or int8 weights. Encodes the few protobuf messages itself, so that no
package is needed."""
import array
import struct

FLOAT, INT8 = 1, 3  # TensorProto.DataType


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """Encodes a protobuf field: integers as varints, everything else as length-delimited bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def tensor(name, shape, kind, data):
    return b"".join(field(1, extent) for extent in shape) + field(2, kind) + field(8, name) + field(9, data)


def value_info(name, shape):
    dims = b"".join(field(1, field(1, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, FLOAT) + field(2, dims)))


def model(nodes, initializers, inputs, outputs):
    graph = b"".join(field(1, node) for node in nodes) + field(2, "lstm")
    graph += b"".join(field(5, one) for one in initializers)
    graph += b"".join(field(11, one) for one in inputs) + b"".join(field(12, one) for one in outputs)
    opsets = field(8, field(1, "") + field(2, 14)) + field(8, field(1, "com.microsoft") + field(2, 1))
    return field(1, 8) + field(2, "skim bench") + field(7, graph) + opsets


def node(kind, domain, inputs, outputs, hidden):
    attribute = field(1, "hidden_size") + field(3, hidden) + field(20, 2)
    text = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
    return text + field(4, kind) + field(5, attribute) + (field(7, domain) if domain else b"")


def reorder(values, rows, columns):
    """Reorders gate blocks from PyTorch's i f g o to ONNX's i o f g."""
    block = rows // 4 * columns
    i, f, g, o = (values[n * block:(n + 1) * block] for n in range(4))
    return i + o + f + g


def quantize(values, rows, columns):
    """Quantizes to int8 with one scale per matrix, transposed, like onnxruntime's dynamic quantization."""
    scale = max(abs(value) for value in values) / 127
    rounded = array.array("b", (round(value / scale) for value in values))
    out = array.array("b", bytes(rows * columns))
    for row in range(rows):
        out[row::rows] = rounded[row * columns:(row + 1) * columns]
    return out.tobytes(), scale


def write(path, d, words, w, u, b, eight_bits):
    """w and u are array('f') of 4d rows of d, gates in the order i f g o; b has 4d values."""
    w, u = reorder(w, 4 * d, d), reorder(u, 4 * d, d)
    bias = reorder(b, 4 * d, 1) + array.array("f", bytes(16 * d))
    initializers = [tensor("B", (1, 8 * d), FLOAT, bias.tobytes())]
    if eight_bits:
        inputs = ["X", "W", "R", "B", "", "", "", ""]
        for name, values in (("W", w), ("R", u)):
            data, scale = quantize(values, 4 * d, d)
            initializers.append(tensor(name, (1, d, 4 * d), INT8, data))
            initializers.append(tensor(name + "_scale", (1,), FLOAT, struct.pack("<f", scale)))
            initializers.append(tensor(name + "_zero", (1,), INT8, b"\0"))
            inputs += [name + "_scale", name + "_zero"]
        step = node("DynamicQuantizeLSTM", "com.microsoft", inputs, ["Y"], d)
    else:
        initializers += [tensor("W", (1, 4 * d, d), FLOAT, w.tobytes()), tensor("R", (1, 4 * d, d), FLOAT, u.tobytes())]
        step = node("LSTM", "", ["X", "W", "R", "B"], ["Y"], d)
    text = model([step], initializers, [value_info("X", (words, 1, d))], [value_info("Y", (words, 1, 1, d))])
    with open(path, "wb") as file:
        file.write(text)
