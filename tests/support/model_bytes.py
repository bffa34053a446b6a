"""Changes the weights of a model file."""
import json
import pathlib
import struct


def write_with_tensors(model, values, path):
    """Writes a copy of an f32 model; `values` maps tensors to the value of all their entries."""
    content = bytearray(pathlib.Path(model).read_bytes())
    size, = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + size])
    for tensor, value in values.items():
        begin, end = header[tensor]["data_offsets"]
        content[8 + size + begin:8 + size + end] = struct.pack("<f", value) * ((end - begin) // 4)
    pathlib.Path(path).write_bytes(content)


def write_overflowing(model, path):
    """Writes a copy of a planted model whose scores overflow: its gates are open, and its head is huge."""
    write_with_tensors(model, {"reader.0.forward.big.bias": 10, "head.weight": 3e38}, path)
