"""skim import against PyTorch: networks built and run there give the same scores here."""
import itertools
import os
import sys

import safetensors_file
import torch
from programs import InterchangeTest, example, largest_difference, run, get_scores

# Both compute in f32 and add in another order; skim prints six digits.
SAME = 1e-5
WORDS = ["<pad>", "<unk>", *(f"word{i}" for i in range(40))]
TYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}


class Classifier(torch.nn.Module):
    def __init__(self, kind, layers=1, both=False, bias=True, pooling="last", labels=3):
        super().__init__()
        self.kind, self.pooling = kind, pooling
        self.embedding = torch.nn.Embedding(len(WORDS), 12)
        self.rnn = kind(12, 17, num_layers=layers, bidirectional=both, bias=bias, batch_first=True)
        self.fc = torch.nn.Linear(17 * (2 if both else 1), labels, bias=bias)

    def forward(self, ids):
        rows, state = self.rnn(self.embedding(ids))
        ends = state[0] if self.kind is torch.nn.LSTM else state
        if self.pooling == "max":
            pooled = rows.max(1).values
        elif self.pooling == "mean":
            pooled = rows.mean(1)
        else:
            pooled = torch.cat([ends[-2], ends[-1]], 1) if self.rnn.bidirectional else ends[-1]
        logits = self.fc(pooled)
        if logits.shape[1] == 1:
            probability = torch.sigmoid(logits)
            return torch.cat([1 - probability, probability], 1)
        return torch.softmax(logits, 1)


def save(path, state):
    entries = {}
    for name, value in state.items():
        data = value.contiguous().view(torch.int16) if value.element_size() == 2 else value
        entries[name] = (TYPES[value.dtype], list(value.shape), data.numpy().tobytes())
    safetensors_file.write(path, entries)


class Torch(InterchangeTest):
    def compare(self, network, *options, labels="a,b,c", kind=None):
        """The network, saved as this type, imported: the same scores as there."""
        if kind:  # rounded as the file will have it
            network.to(kind)
        source, words, model = self.path("state.safetensors"), self.path("words.txt"), self.path("model.skim")
        save(source, network.state_dict())
        network.float()
        words.write_text("\n".join(WORDS))
        self.ok("import", source, "--words", words, "--labels", labels, "--out", model, "--tokenizer", "whitespace",
                "--pooling", network.pooling, *options)
        texts = [torch.randint(1, len(WORDS), (1, length)) for length in (1, 2, 50)]
        # The word of row 1 is unknown: any other spelling stands for it.
        spelled = [" ".join(WORDS[i] if i != 1 else "strange" for i in ids[0].tolist()) for ids in texts]
        for ids, reading in zip(texts, self.readings(model, spelled), strict=True):
            with torch.no_grad():
                expected = network(ids)[0].tolist()
            self.assertLess(largest_difference(get_scores(reading), expected), SAME)
        self.ok("verify", model)

    def setUp(self):
        torch.manual_seed(1)

    def test_all_cells_layers_directions_and_poolings(self):
        cells = (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN)
        poolings = itertools.cycle(("last", "max", "mean"))
        for cell, layers, both in itertools.product(cells, (1, 2), (False, True)):
            with self.subTest(cell=cell.__name__, layers=layers, both=both):
                self.compare(Classifier(cell, layers, both, pooling=next(poolings)))

    def test_networks_without_biases(self):
        for cell in (torch.nn.LSTM, torch.nn.GRU):
            self.compare(Classifier(cell, bias=False))

    def test_single_output_head_is_the_probability_of_the_second_label(self):
        self.compare(Classifier(torch.nn.LSTM, labels=1), labels="a,b")

    def test_half_precision_weights(self):
        for kind in (torch.float16, torch.bfloat16):
            self.compare(Classifier(torch.nn.GRU), kind=kind)

    def test_names_can_be_given(self):
        self.compare(Classifier(torch.nn.LSTM), "--rnn-prefix", "rnn", "--embedding", "embedding", "--head", "fc",
                     "--unknown", "<unk>")

    def test_docs_example_runs(self):
        # The package it names need not be installed: its save_file is what `save` does here.
        package = self.path("safetensors")
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "torch.py").write_text("import pathlib\n\nimport test_torch\n\n\ndef save_file(state, path):\n"
                                          "    test_torch.save(pathlib.Path(path), state)\n")
        self.path("train.py").write_text(example("python"))
        found = os.pathsep.join([str(self.folder), os.path.dirname(os.path.abspath(__file__))])
        done = run(sys.executable, "train.py", cwd=self.folder, env=dict(os.environ, PYTHONPATH=found))
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.ok("import", self.path("state.safetensors"), "--words", self.path("words.txt"), "--labels",
                      "negative,positive", "--out", self.path("imported.skim"))
        self.assertIn("dense lstm of 64 units, 1 layer, both directions, 7 words, 2 labels", out)
