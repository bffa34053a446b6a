"""Reads weights and vocabulary of a skim model file (safetensors, see docs/file-format.md)."""
import json
import struct

from sets import Fault


class ModelFile:
    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                length = struct.unpack("<Q", file.read(8))[0]
                header = json.loads(file.read(length))
            self.spec = json.loads(header.pop("__metadata__")["spec"])
        except (OSError, ValueError, KeyError, struct.error) as error:
            raise Fault(f"{path}: not a model of skim ({error}); skim train makes one") from None
        self.tensors, self.begin = header, 8 + length

    @property
    def labels(self):
        return self.spec["labels"]

    def is_dense_lstm(self):
        """What torch_worker.py can run: one layer, one direction, every word read."""
        reader = self.spec["reader"]
        return (reader["kind"] == "dense" and reader["cell"] == "lstm" and self.spec["num_layers"] == 1
                and not self.spec["bidirectional"] and self.spec["pooling"] in ("last", "attention"))

    def tensor_bytes(self, name):
        begin, end = self.tensors[name]["data_offsets"]
        with open(self.path, "rb") as file:
            file.seek(self.begin + begin)
            return file.read(end - begin)

    def words(self):
        ends = struct.unpack(f"<{self.spec['vocab_size']}I", self.tensor_bytes("vocab.ends"))
        text = self.tensor_bytes("vocab.text")
        return [text[begin:end].decode() for begin, end in zip((0, *ends), ends)]

    def array(self, name):
        """A tensor as f32, whatever type it is stored in."""
        import numpy as np  # only those who compute need it
        entry, data = self.tensors[name], self.tensor_bytes(name)
        if entry["dtype"] == "I8":
            rows = np.frombuffer(data, np.int8).reshape(entry["shape"]).astype(np.float32)
            return rows * self.array(f"{name}.scale")[:, None]
        if entry["dtype"] == "BF16":
            # The upper half of an f32.
            return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(entry["shape"])
        return np.frombuffer(data, np.float32).reshape(entry["shape"]).copy()
