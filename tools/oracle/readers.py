"""Recurrent readers, one token at a time: the cells of PyTorch's documentation and the papers' rules of what to update.

A reader takes rows in reading order and returns the state after each of them, how many units each token updated and
p_read. Decisions that rounding could turn around are recorded in `margins`.
"""
import dataclasses

import numpy as np

GATES = {"lstm": 4, "gru": 3, "rnn": 1}


@dataclasses.dataclass
class Policy:
    threshold: float = 0.5
    rule: str = "threshold"

    @property
    def limit(self):
        """What p_read must exceed; argmax over two levels is a threshold of 0.5."""
        return 0.5 if self.rule == "argmax" else self.threshold


@dataclasses.dataclass
class Tokens:
    """What a reader goes over, in reading order."""

    rows: np.ndarray  # [tokens, input]
    ids: list = None  # of the vocabulary, where the rows are embeddings
    question: list = None  # per token: whether it belongs to the question of a cloze model

    def reversed(self):
        return Tokens(self.rows[::-1], self.ids and self.ids[::-1], self.question and self.question[::-1])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    powers = np.exp(x - np.max(x))
    return powers / powers.sum()


def gate_blocks(cell, matrix):
    return np.split(matrix, GATES[cell])


def run_cell(cell, weights, x, seen, h, c):
    """New (h, c) of a cell: `seen` is what weight_hh multiplies, h and c are the units that are renewed."""
    from_x = gate_blocks(cell, weights["weight_ih"] @ x + weights["bias"])
    from_h = gate_blocks(cell, weights["weight_hh"] @ seen)
    if cell == "rnn":
        return np.tanh(from_x[0] + from_h[0]), c
    if cell == "gru":
        r = sigmoid(from_x[0] + from_h[0])
        z = sigmoid(from_x[1] + from_h[1])
        n = np.tanh(from_x[2] + r * (from_h[2] + weights["bias_hn"]))
        return (1 - z) * n + z * h, c
    i, f, o = (sigmoid(from_x[gate] + from_h[gate]) for gate in (0, 1, 3))
    c = f * c + i * np.tanh(from_x[2] + from_h[2])
    return o * np.tanh(c), c


class Reader:
    """A dense reader, and what the others have in common."""

    run_cell = staticmethod(run_cell)

    def __init__(self, spec, tensors, margins):
        self.spec, self.tensors, self.margins = spec, tensors, margins
        self.cell, self.size = spec["cell"], spec["hidden_size"]

    def part(self, prefix):
        return {name[len(prefix) + 1:]: value for name, value in self.tensors.items() if name.startswith(prefix + ".")}

    def read(self, tokens, policy):
        """States after each token [tokens, d], widths, p_read."""
        self.h, self.c = np.zeros(self.size), np.zeros(self.size)
        self.begin()
        states, widths, chances = [], [], []
        for at in range(len(tokens.rows)):
            width, p_read = self.step(tokens, at, policy)
            states.append(self.h.copy())
            widths.append(int(width))
            chances.append(float(p_read))
        return np.array(states).reshape(-1, self.size), widths, chances

    def begin(self):
        pass

    def step(self, tokens, at, policy):
        self.update(self.part("big"), tokens.rows[at], self.size, self.size)
        return self.size, 1

    def update(self, weights, x, width, seen):
        h, c = self.run_cell(self.cell, weights, x, self.h[:seen], self.h[:width], self.c[:width])
        self.h[:width], self.c[:width] = h, c


class SkimReader(Reader):
    """Skim-RNN: a softmax over [x; h] picks the cell; a small one renews its own units and leaves the others alone."""

    def level_chances(self, x):
        part = self.part("decision")
        if self.spec["decision"] == "dot":
            common = min(len(x), self.size)
            return softmax(part["scale"] * np.dot(x[:common], self.h[:common]) + part["bias"])
        logits = part["weight_ih"] @ x + part["weight_hh"] @ self.h + part["bias"]
        if self.spec["decision"] == "linear_cell":
            logits = logits + part["weight_ch"] @ self.c
        return softmax(logits)

    def choose(self, p, policy):
        if policy.rule == "argmax":
            best = np.sort(p)
            self.margins.append(best[-1] - best[-2])
            return int(np.argmax(p))
        reached = 0.0
        for level in range(len(p) - 1):
            reached += p[level]
            if policy.threshold not in (0, 1):
                self.margins.append(abs(reached - policy.threshold))
            if reached > policy.threshold:
                return level
        return len(p) - 1

    def step(self, tokens, at, policy):
        x = tokens.rows[at]
        p = self.level_chances(x)
        level = self.choose(p, policy)
        width = [self.size, *self.spec["skim_sizes"]][level]
        if level == 0:
            self.update(self.part("big"), x, width, width)
        elif width > 0:
            seen = self.size if self.spec["small_input"] == "full" else width
            self.update(self.part(f"small.{level}"), x, width, seen)
        return width, p[0]


class JumpReader(Reader):
    """LSTM-Jump: R tokens or sentences, then a jump of up to K of them, at most N times; 0 stops."""

    def begin(self):
        self.left, self.skipping, self.jumps, self.stopped = self.spec["jump"]["tokens_per_jump"], 0, 0, False

    def jump(self):
        settings, part = self.spec["jump"], self.part("jump")
        self.left = settings["tokens_per_jump"]
        if self.jumps == settings["max_jumps"]:
            self.stopped = True
            return
        logits = part["weight"] @ self.h + part["bias"]
        best = np.sort(logits)
        self.margins.append(best[-1] - best[-2])
        self.jumps += 1
        distance = int(np.argmax(logits))
        self.stopped = distance == 0
        self.skipping = max(distance - 1, 0)  # a jump of one leads to the very next token or sentence

    def reads(self, tokens, at, policy):
        if policy.rule == "threshold" and policy.threshold in (0, 1):
            return policy.threshold == 0
        if tokens.question and tokens.question[at]:
            return True
        return not self.stopped and self.skipping == 0

    def step(self, tokens, at, policy):
        reading = self.reads(tokens, at, policy)
        if reading:
            super().step(tokens, at, policy)
        ends = self.spec["jump"].get("sentence_end_ids")
        in_text = not (tokens.question and tokens.question[at])
        if in_text and not self.stopped and (not ends or tokens.ids[at] in ends):
            if self.skipping > 0:
                self.skipping -= 1
            elif reading:
                self.left -= 1
                if self.left == 0:
                    self.jump()
        return (self.size, 1) if reading else (0, 0)


class SkipReader(Reader):
    """Skip RNN: the probability of an update grows by du with each token that is left out."""

    def begin(self):
        self.update_prob, self.delta = 1.0, 0.0

    def step(self, tokens, at, policy):
        p_read = self.update_prob
        if policy.limit not in (0, 1):
            self.margins.append(abs(p_read - policy.limit))
        if p_read > policy.limit:
            super().step(tokens, at, policy)
            part = self.part("update")
            state = self.c if self.cell == "lstm" else self.h
            self.update_prob = self.delta = float(sigmoid(part["weight"] @ state + part["bias"])[0])
            return self.size, p_read
        self.update_prob += min(self.delta, 1 - self.update_prob)
        return 0, p_read


class VariableReader(Reader):
    """VCRNN: the first ceil(m d) units run on as large a share of the input, with the upper left of each gate's block.

    With a threshold T the logit of m is lowered by that of T: 0.5 is the model's own choice, 0 runs all, 1 none.
    """

    def width(self, logit, policy):
        if policy.limit in (0, 1):
            return self.size if policy.limit == 0 else 0
        units = sigmoid(logit - np.log(policy.limit / (1 - policy.limit))) * self.size
        self.margins.append(min(units - np.floor(units), np.ceil(units) - units) / self.size)
        return int(np.ceil(units))

    def step(self, tokens, at, policy):
        x, part = tokens.rows[at], self.part("scheduler")
        logit = (part["weight_ih"] @ x + part["weight_hh"] @ self.h + part["bias"])[0]
        width = self.width(logit, policy)
        if width > 0:
            inputs = int(np.ceil(width * len(x) / self.size))
            self.update(self.upper_left(width, inputs), x[:inputs], width, width)
        return width, sigmoid(logit)

    def upper_left(self, width, inputs):
        big = self.part("big")
        columns = {"weight_ih": inputs, "weight_hh": width}
        cut = {name: np.concatenate([block[:width, :count] for block in gate_blocks(self.cell, big[name])])
               for name, count in columns.items()}
        cut["bias"] = np.concatenate([block[:width] for block in gate_blocks(self.cell, big["bias"])])
        if self.cell == "gru":
            cut["bias_hn"] = big["bias_hn"][:width]
        return cut


KINDS = {"dense": Reader, "skim": SkimReader, "lstm-jump": JumpReader, "skip-rnn": SkipReader, "vcrnn": VariableReader}
