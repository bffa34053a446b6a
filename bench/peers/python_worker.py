#!/usr/bin/env python3
"""PyTorch's nn.LSTM, or the same as a NumPy loop: python_worker.py torch|numpy PROBLEM D WORDS"""
import sys
import time

import numpy as np


def numpy_reader(w, u, b, x):
    d = u.shape[1]

    def read():
        h, c = np.zeros(d, np.float32), np.zeros(d, np.float32)
        for row in x:
            i, f, g, o = (w @ row + u @ h + b).reshape(4, d)
            c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
            h = np.tanh(c) / (1 + np.exp(-o))
        return h

    return np.__version__, read


def torch_reader(w, u, b, x):
    import torch

    torch.set_num_threads(1)
    lstm = torch.nn.LSTM(u.shape[1], u.shape[1])
    lstm.load_state_dict({"weight_ih_l0": torch.tensor(w), "weight_hh_l0": torch.tensor(u),
                          "bias_ih_l0": torch.tensor(b), "bias_hh_l0": torch.zeros(len(b))})
    rows = torch.tensor(x)[:, None]

    def read():
        with torch.inference_mode():
            return lstm(rows)[0][-1, 0]

    return torch.__version__, read


def main():
    kind, path, d, words = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    data = np.fromfile(path, np.float32)
    w, u, b, x = np.split(data, np.cumsum([4 * d * d, 4 * d * d, 4 * d]))
    version, read = {"numpy": numpy_reader, "torch": torch_reader}[kind](
        w.reshape(-1, d), u.reshape(-1, d), b, x.reshape(words, d))
    print("ready", version, flush=True)
    for line in sys.stdin:
        verb, *count = line.split()
        if verb == "run":
            begin = time.perf_counter()
            for _ in range(int(count[0])):
                read()
            print(time.perf_counter() - begin, flush=True)
        else:
            print(*(float(value) for value in read()), flush=True)


if __name__ == "__main__":
    main()
