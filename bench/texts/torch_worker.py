#!/usr/bin/env python3
"""The weights of a dense LSTM of ours in PyTorch's nn.LSTM, one text per call: torch_worker.py MODEL"""
import sys

import torch

import serve
import words
from skim_file import ModelFile


class Classifier:
    def __init__(self, model):
        def tensor(name):
            return torch.from_numpy(model.array(name))

        self.lookup_ids = words.lookup(model.words())
        self.vectors = tensor("embedding.weight")
        w, u, b = (tensor(f"reader.0.forward.big.{part}") for part in ("weight_ih", "weight_hh", "bias"))
        self.lstm = torch.nn.LSTM(w.shape[1], u.shape[1])
        self.lstm.load_state_dict({"weight_ih_l0": w, "weight_hh_l0": u, "bias_ih_l0": b,
                                   "bias_hh_l0": torch.zeros_like(b)})
        self.head_w, self.head_b = tensor("head.weight"), tensor("head.bias")
        self.pool = tensor("pooling.weight") if model.spec["pooling"] == "attention" else None

    def __call__(self, text):
        ids = self.lookup_ids(text)
        if not ids:
            return int(self.head_b.argmax())
        rows, _ = self.lstm(self.vectors[torch.tensor(ids)][:, None])
        rows = rows[:, 0]
        pooled = rows[-1] if self.pool is None else torch.softmax(rows @ self.pool, 0) @ rows
        return int((self.head_w @ pooled + self.head_b).argmax())


def main():
    torch.set_num_threads(1)
    classify = Classifier(ModelFile(sys.argv[1]))
    with torch.inference_mode():
        serve.serve(lambda texts: [classify(text) for text in texts])


if __name__ == "__main__":
    main()
