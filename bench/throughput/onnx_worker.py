#!/usr/bin/env python3
"""The weights of a dense LSTM of ours in ONNX Runtime's LSTM operator: onnx_worker.py MODEL f32|int8 BATCH

BATCH texts are padded to the longest of them, after all texts were tokenized and sorted by length; 1 pads nothing.
Answers as described in bench/texts/serve.py.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "texts"))
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402

import onnx_lstm  # noqa: E402
import serve  # noqa: E402
import words  # noqa: E402
from batches import sorted_batches  # noqa: E402
from skim_file import ModelFile  # noqa: E402

READER = "reader.0.forward.big."
NEVER = -1e30  # the attention logit of padding


def load_weights(model):
    names = ["embedding.weight", "head.weight", "head.bias", *(READER + part for part in ("weight_ih", "weight_hh", "bias"))]
    if model.spec["pooling"] == "attention":
        names.append("pooling.weight")
    arrays = {name.removeprefix(READER): np.ascontiguousarray(model.array(name), np.float32) for name in names}
    return {name: (array.shape, array.tobytes()) for name, array in arrays.items()}


class Classifier:
    def __init__(self, model, eight_bits, size):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(onnx_lstm.build(load_weights(model), eight_bits), options,
                                                    providers=["CPUExecutionProvider"])
        self.has_mask = model.spec["pooling"] == "attention"
        self.lookup_ids, self.size = words.lookup(model.words()), size

    def __call__(self, texts):
        # A text without words is one unknown word: an LSTM needs a step.
        ids = [self.lookup_ids(text) or [0] for text in texts]
        answers = [0] * len(texts)
        for batch in sorted_batches([len(one) for one in ids], self.size):
            for i, answer in zip(batch, self.answer_batch([ids[i] for i in batch])):
                answers[i] = int(answer)
        return answers

    def answer_batch(self, ids):
        lengths = np.array([len(one) for one in ids], np.int32)
        padded = np.zeros((lengths.max(), len(ids)), np.int64)
        for column, one in enumerate(ids):
            padded[:len(one), column] = one
        inputs = {"words": padded, "lengths": lengths}
        if self.has_mask:
            is_padding = np.arange(len(padded))[:, None] >= lengths
            inputs["mask"] = np.where(is_padding, np.float32(NEVER), np.float32(0))[:, :, None]
        return self.session.run(None, inputs)[0]


def main(path, weights, size):
    serve.serve(Classifier(ModelFile(path), weights == "int8", int(size)))


if __name__ == "__main__":
    main(*sys.argv[1:])
