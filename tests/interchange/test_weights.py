"""The weights of a model file are readable by any reader of safetensors, and mean what docs/file-format.md says."""
import json

import numpy
import safetensors_file
from programs import InterchangeTest, scores_of

# numpy adds in another order than our kernels, and skim prints six digits.
SAME = 1e-5

# What docs/file-format.md says of a plain LSTM, d = 100, over vectors of 100.
SHAPES = {"words": [300, 100], "reader.0.forward.big.w": [400, 100], "reader.0.forward.big.u": [400, 100],
          "reader.0.forward.big.b": [400], "head.w": [2, 100], "head.b": [2]}


def floats(entry):
    dtype, shape, data = entry
    assert dtype == "F32"
    return numpy.frombuffer(data, "<f4").reshape(shape).astype(numpy.float64)


def words_of(tensors):
    ends = numpy.frombuffer(tensors["vocab.ends"][2], "<u4")
    text = tensors["vocab.text"][2]
    return [text[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends)]


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def read_plainly(tensors, ids):
    """A plain LSTM in double precision: the probabilities of the labels."""
    vectors = floats(tensors["words"])
    w, u, b = (floats(tensors[f"reader.0.forward.big.{name}"]) for name in "wub")
    hidden = cell = numpy.zeros(u.shape[1])
    for word in ids:
        i, f, g, o = numpy.split(w @ vectors[word] + u @ hidden + b, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * numpy.tanh(g)
        hidden = sigmoid(o) * numpy.tanh(cell)
    powers = numpy.exp(floats(tensors["head.w"]) @ hidden + floats(tensors["head.b"]))
    return powers / powers.sum()


class Weights(InterchangeTest):
    def plain(self):
        return self.planted("plain.skim", "--reader", "full", "--vocabulary", "300")

    def test_a_foreign_reader_finds_the_tensors_of_the_docs(self):
        tensors, metadata = safetensors_file.read(self.plain())
        for name, shape in SHAPES.items():
            self.assertEqual(tensors[name][:2], ("F32", shape))
        self.assertEqual(set(tensors) - set(SHAPES), {"vocab.ends", "vocab.text"})
        self.assertEqual((metadata["format"], metadata["format_version"]), ("skim", "1"))
        self.assertEqual(json.loads(metadata["spec"])["reader"]["kind"], "full")

    def test_all_kinds_of_models_are_sound_for_it(self):
        for options in (("--small", "10,5,0"), ("--cell", "gru", "--bidirectional", "yes"),
                        ("--weights", "bf16", "--cell", "rnn"), ("--weights", "int8", "--layers", "2")):
            with self.subTest(options):
                tensors, _ = safetensors_file.read(self.planted("any.skim", *options))
                wide = {"bf16": "BF16", "int8": "I8"}.get(options[1], "F32")
                self.assertEqual(tensors["words"][0], wide)

    def test_a_plain_lstm_computed_from_them_gives_the_same_scores(self):
        model = self.plain()
        tensors, _ = safetensors_file.read(model)
        words = words_of(tensors)
        draw = numpy.random.default_rng(1)
        chosen = [draw.integers(1, len(words), length) for length in (1, 5, 60, 200)]
        readings = self.readings(model, [" ".join(words[i] for i in ids) for ids in chosen])
        for ids, reading in zip(chosen, readings, strict=True):
            self.assertEqual(len(reading["words"]), len(ids))
            numpy.testing.assert_allclose(scores_of(reading), read_plainly(tensors, ids), atol=SAME)
