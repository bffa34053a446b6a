"""Model files are valid safetensors with the semantics of docs/file-format.md, checked with NumPy."""
import json

import numpy
import safetensors_file
from programs import InterchangeTest, get_scores

# numpy sums in another order than the kernels, and skim prints six digits.
SAME = 1e-5

# Tensors of a dense LSTM with hidden size 100 and embedding size 100, see docs/file-format.md.
SHAPES = {"embedding.weight": [300, 100], "reader.0.forward.big.weight_ih": [400, 100], "reader.0.forward.big.weight_hh": [400, 100],
          "reader.0.forward.big.bias": [400], "head.weight": [2, 100], "head.bias": [2]}


def floats(entry):
    dtype, shape, data = entry
    assert dtype == "F32"
    return numpy.frombuffer(data, "<f4").reshape(shape).astype(numpy.float64)


def vocabulary(tensors):
    ends = numpy.frombuffer(tensors["vocab.ends"][2], "<u4")
    text = tensors["vocab.text"][2]
    return [text[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends)]


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def dense_lstm(tensors, ids):
    """A dense LSTM in double precision; returns the probabilities of the labels."""
    vectors = floats(tensors["embedding.weight"])
    w, u, b = (floats(tensors[f"reader.0.forward.big.{name}"]) for name in ("weight_ih", "weight_hh", "bias"))
    hidden = cell = numpy.zeros(u.shape[1])
    for word in ids:
        i, f, g, o = numpy.split(w @ vectors[word] + u @ hidden + b, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * numpy.tanh(g)
        hidden = sigmoid(o) * numpy.tanh(cell)
    powers = numpy.exp(floats(tensors["head.weight"]) @ hidden + floats(tensors["head.bias"]))
    return powers / powers.sum()


class Weights(InterchangeTest):
    def dense(self):
        return self.planted("dense.skim", "--reader", "dense", "--vocab-size", "300")

    def test_safetensors_reader_finds_the_documented_tensors(self):
        tensors, metadata = safetensors_file.read(self.dense())
        for name, shape in SHAPES.items():
            self.assertEqual(tensors[name][:2], ("F32", shape))
        self.assertEqual(set(tensors) - set(SHAPES), {"vocab.ends", "vocab.text"})
        self.assertEqual((metadata["format"], metadata["format_version"]), ("skim", "2"))
        self.assertEqual(json.loads(metadata["spec"])["reader"]["kind"], "dense")

    def test_all_kinds_of_models_are_valid_safetensors(self):
        for options in (("--skim-size", "10,5,0"), ("--cell", "gru", "--bidirectional", "yes"),
                        ("--weights", "bf16", "--cell", "rnn"), ("--weights", "int8", "--num-layers", "2")):
            with self.subTest(options):
                tensors, _ = safetensors_file.read(self.planted("any.skim", *options))
                wide = {"bf16": "BF16", "int8": "I8"}.get(options[1], "F32")
                self.assertEqual(tensors["embedding.weight"][0], wide)

    def test_dense_lstm_in_numpy_gives_the_same_scores(self):
        model = self.dense()
        tensors, _ = safetensors_file.read(model)
        words = vocabulary(tensors)
        draw = numpy.random.default_rng(1)
        chosen = [draw.integers(1, len(words), length) for length in (1, 5, 60, 200)]
        readings = self.readings(model, [" ".join(words[i] for i in ids) for ids in chosen])
        for ids, reading in zip(chosen, readings, strict=True):
            self.assertEqual(len(reading["words"]), len(ids))
            numpy.testing.assert_allclose(get_scores(reading), dense_lstm(tensors, ids), atol=SAME)
