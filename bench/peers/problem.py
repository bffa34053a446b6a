"""The network and the text of all workers: random, with a fixed seed."""
import array
import pathlib
import random

import onnx_model

WORDS = 100


def write(folder: pathlib.Path, d: int) -> pathlib.Path:
    """Writes weights (gates i f g o) and embeddings as raw floats, and the same network as two ONNX files."""
    draw = random.Random(d)
    bound = 1 / d**0.5

    def uniform(count, size):
        return array.array("f", (draw.uniform(-size, size) for _ in range(count)))

    w, u, b = uniform(4 * d * d, bound), uniform(4 * d * d, bound), uniform(4 * d, bound)
    x = uniform(WORDS * d, 1.0)
    path = folder / f"lstm-{d}.f32"
    path.write_bytes(b"".join(part.tobytes() for part in (w, u, b, x)))
    onnx_model.write(path.with_suffix(".onnx"), d, WORDS, w, u, b, eight_bits=False)
    onnx_model.write(path.with_suffix(".int8.onnx"), d, WORDS, w, u, b, eight_bits=True)
    return path
