"""Adam over 20 steps by torch.optim, with gradients clipped by norm and a moving average (EMA) of the weights."""
import random

import torch

STEPS = 20
OPTIONS = {"lr": 0.01, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "clip": 2.0, "ema_decay": 0.7,
           "embedding_lr_scale": 0.25}
# The tensors of a classifier: a dense tanh RNN of three units over embeddings of four numbers, two labels.
WEIGHTS = {"reader.0.forward.big.weight_ih": (3, 4), "reader.0.forward.big.weight_hh": (3, 3),
           "reader.0.forward.big.bias": (3,), "head.weight": (2, 3), "head.bias": (2,)}
# Embeddings: word 0 is unknown, 1 and 2 came from a file, 3 did not, 4 is too rare to be trained.
EMBEDDING = {"size": 4, "pretrained": [False, True, True, False, True], "trainable_words": 4}


UNIT = 64


def multiples(chance, count, bound):
    """Whole numbers, which stand for multiples of 1/UNIT."""
    return [int(chance.random() * (2 * bound + 1) - bound) for _ in range(count)]


def to_tensor(multiples_of_unit):
    return torch.tensor(multiples_of_unit, dtype=torch.float64) / UNIT


def learning_rate_scales():
    scales = []
    for word, pretrained in enumerate(EMBEDDING["pretrained"]):
        trainable = word < EMBEDDING["trainable_words"]
        scales.append(0 if not trainable else OPTIONS["embedding_lr_scale"] if pretrained else 1)
    return scales


def draw():
    """Initial values and gradients; two steps of three are clipped."""
    chance = random.Random("adam")
    sizes = {name: torch.Size(shape).numel() for name, shape in WEIGHTS.items()}
    words, width = len(EMBEDDING["pretrained"]), EMBEDDING["size"]
    steps = []
    for number in range(STEPS):
        bound = 20 if number % 3 == 0 else 60
        touched = sorted(word for word in range(words) if chance.random() < 0.6) or [0]
        steps.append({"gradients": {name: multiples(chance, size, bound) for name, size in sizes.items()},
                      "words": touched, "word_gradients": multiples(chance, len(touched) * width, bound)})
    initial = {name: multiples(chance, size, 64) for name, size in sizes.items()}
    return initial, multiples(chance, words * width, 64), steps


class Training:
    def __init__(self, initial, embedding):
        o = OPTIONS
        settings = {"betas": (o["beta1"], o["beta2"]), "eps": o["epsilon"]}
        self.weights = {name: torch.nn.Parameter(to_tensor(values).view(WEIGHTS[name]))
                        for name, values in initial.items()}
        self.scales = learning_rate_scales()
        # One table per learning rate, of which SparseAdam moves the rows that a step touches.
        table = to_tensor(embedding).view(-1, EMBEDDING["size"])
        self.tables = {scale: torch.nn.Parameter(table.clone()) for scale in set(self.scales) if scale > 0}
        self.frozen = table
        self.optimizers = [torch.optim.Adam(self.weights.values(), lr=o["lr"], **settings)]
        self.optimizers += [torch.optim.SparseAdam([parameter], lr=o["lr"] * scale, **settings)
                            for scale, parameter in self.tables.items()]
        self.ema = {name: value.clone() for name, value in self.values().items()}

    def values(self):
        rows = [self.tables[scale][word] if scale > 0 else self.frozen[word] for word, scale in enumerate(self.scales)]
        weights = {name: value.detach() for name, value in self.weights.items()}
        return {**weights, "embedding": torch.stack(rows).detach()}

    def set_gradients(self, step):
        for name, parameter in self.weights.items():
            parameter.grad = to_tensor(step["gradients"][name]).view(WEIGHTS[name])
        rows = to_tensor(step["word_gradients"]).view(-1, EMBEDDING["size"])
        for scale, parameter in self.tables.items():
            chosen = [i for i, word in enumerate(step["words"]) if self.scales[word] == scale]
            words = [step["words"][i] for i in chosen]
            index = torch.tensor([words], dtype=torch.int64).view(1, -1)
            parameter.grad = torch.sparse_coo_tensor(index, rows[chosen], parameter.shape).coalesce()

    def clip(self, step):
        """Scales all gradients, those of untrained words included, so that their common norm is at most `clip`."""
        dense = [to_tensor(values) for values in [*step["gradients"].values(), step["word_gradients"]]]
        norm = torch.linalg.vector_norm(torch.cat(dense))
        scale = min(1.0, OPTIONS["clip"] / float(norm))
        for parameter in [*self.weights.values(), *self.tables.values()]:
            parameter.grad = parameter.grad * scale
        return scale

    def step(self, number, step):
        self.set_gradients(step)
        scale = self.clip(step)
        for optimizer in self.optimizers:
            optimizer.step()
        # The decay grows with the number of updates, as in TensorFlow's ExponentialMovingAverage(num_updates).
        updates = number + 1
        decay = min(OPTIONS["ema_decay"], (1 + updates) / (10 + updates))
        for name, value in self.values().items():
            self.ema[name] += (1 - decay) * (value - self.ema[name])
        return scale


def rounded(tensors):
    return {name: [round(value, 8) for value in tensor.flatten().tolist()] for name, tensor in tensors.items()}


def fixture():
    initial, embedding, steps = draw()
    training = Training(initial, embedding)
    for number, step in enumerate(steps):
        step["clip_scale"] = training.step(number, step)
        if number in (0, 4, STEPS - 1):
            step["values"], step["ema"] = rounded(training.values()), rounded(training.ema)
    return {"options": OPTIONS, "unit": UNIT, "shapes": WEIGHTS, "embedding": {**EMBEDDING, "initial": embedding},
            "initial": initial, "steps": steps}
