"""Reads and writes safetensors files by the format's description alone: eight bytes that say how long the header is,
the header (JSON: name to dtype, shape and extent), the tensors' bytes."""
import json
import math
import struct

SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "U32": 4, "BOOL": 1}


def read(path):
    """name to (dtype, shape, bytes), and the metadata. Raises ValueError where the file breaks a rule of the format."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length].decode("utf-8"))
    if data[8:9] != b"{":
        raise ValueError("the header must begin with {")
    metadata = header.pop("__metadata__", {})
    if not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("metadata maps strings to strings")
    body, end = data[8 + length:], 0
    tensors = {}
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        if set(entry) != {"dtype", "shape", "data_offsets"}:
            raise ValueError(f"{name}: other fields than those of the format")
        first, last = entry["data_offsets"]
        if first != end:
            raise ValueError(f"{name} begins at {first}, the one before it ends at {end}")
        if last - first != math.prod(entry["shape"]) * SIZES[entry["dtype"]]:
            raise ValueError(f"{name} has another size than its shape and type")
        tensors[name] = (entry["dtype"], entry["shape"], body[first:last])
        end = last
    if end != len(body):
        raise ValueError(f"{len(body) - end} bytes belong to no tensor")
    return tensors, metadata


def write(path, tensors):
    """The opposite, without metadata."""
    header, end = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values()))
