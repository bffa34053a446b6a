"""skim import: what is accepted, and what is said of the rest. test_torch.py compares with PyTorch."""
import array
import json
import random

import safetensors_file
from programs import InterchangeTest

GATES = {"lstm": 4, "gru": 3, "rnn": 1}


def tensor(*shape, draw=random.Random(1)):
    count = 1
    for extent in shape:
        count *= extent
    return ("F32", list(shape), array.array("f", (draw.uniform(-0.5, 0.5) for _ in range(count))).tobytes())


def state(cell="lstm", words=6, width=4, hidden=3, labels=2):
    """The state of a small classifier, as PyTorch would name it."""
    rows = GATES[cell] * hidden
    return {"embedding.weight": tensor(words, width), f"{cell}.weight_ih_l0": tensor(rows, width),
            f"{cell}.weight_hh_l0": tensor(rows, hidden), f"{cell}.bias_ih_l0": tensor(rows),
            f"{cell}.bias_hh_l0": tensor(rows), "fc.weight": tensor(labels, hidden), "fc.bias": tensor(labels)}


class Import(InterchangeTest):
    def arguments(self, tensors, words=("<pad>", "<unk>", "good", "bad", "film", "the"), labels="no,yes"):
        """The command line for this state; the list of words gets this content."""
        source, listed = self.path("state.safetensors"), self.path("words.txt")
        if isinstance(tensors, dict):
            safetensors_file.write(source, tensors)
        else:
            source.write_bytes(tensors)
        listed.write_text("".join(word + "\n" for word in words))
        return ["import", source, "--words", listed, "--labels", labels, "--out", self.path("model.skim")]

    def rejects(self, tensors, *options, says, **more):
        self.fails(*self.arguments(tensors, **more), *options, says=says)
        self.assertFalse(self.path("model.skim").exists())

    def test_each_cell_becomes_a_dense_reader(self):
        for cell in GATES:
            with self.subTest(cell):
                report = json.loads(self.ok(*self.arguments(state(cell)), "--json"))
                self.assertEqual((report["cell"], report["hidden_size"], report["labels"]), (cell, 3, ["no", "yes"]))
                self.assertGreater(report["probes"], 0)
                self.assertIn("gave the stored answers", self.ok("verify", self.path("model.skim")))
                spec = json.loads(self.ok("info", self.path("model.skim"), "--json"))["spec"]
                self.assertEqual((spec["reader"]["kind"], spec["pooling"]), ("dense", "last"))
                self.path("model.skim").unlink()

    def test_unknown_word_moves_to_the_front_with_its_embedding(self):
        tensors = state()
        self.ok(*self.arguments(tensors))
        stored, _ = safetensors_file.read(self.path("model.skim"))
        self.assertEqual(stored["vocab.text"][2], b"<unk><pad>goodbadfilmthe")
        rows = [tensors["embedding.weight"][2][at:at + 16] for at in range(0, 96, 16)]
        self.assertEqual(stored["embedding.weight"][2], b"".join([rows[1], rows[0], *rows[2:]]))
        self.path("model.skim").unlink()

    def test_counts_unreachable_words(self):
        words = ("<unk>", "Good", "bad", "film", "two words", "the")
        out = self.ok(*self.arguments(state(), words))
        self.assertIn("2 of the words are unreachable", out)
        self.path("model.skim").unlink()

    def test_rejects_unsupported_networks(self):
        self.rejects(state() | {"lstm.weight_hr_l0": tensor(2, 3)}, says="proj_size")
        self.rejects(state() | {"attention.weight": tensor(1, 5)}, says=["'attention.weight'", "not part of a dense classifier"])
        self.rejects(state() | {"lstm.weight_hh_l0": tensor(10, 3)}, says="an LSTM has 4 times as many rows")
        self.rejects({"fc.weight": tensor(2, 3)}, says="weight_ih_l0")

    def test_reports_inconsistent_tensors(self):
        self.rejects(state() | {"lstm.bias_hh_l0": tensor(11)}, says=["'lstm.bias_hh_l0' has shape [11]", "[12]"])
        self.rejects(state() | {"lstm.weight_ih_l1": tensor(12, 3)}, says="'lstm.weight_hh_l1' is missing")
        self.rejects({name: value for name, value in state().items() if name != "lstm.bias_ih_l0"},
                     says="is missing")
        self.rejects(state(words=7), says=["[6, 4]", "--embedding"])
        self.rejects(state(), labels="a,b,c", says=["[3, 3]", "--head"])
        self.rejects(state(), "--head", "classifier", says="classifier.weight")
        self.rejects(state(), "--rnn-prefix", "encoder", says="encoder.weight_ih_l0")

    def test_what_is_ambiguous_asks_for_an_option(self):
        more = state() | {"fc2.weight": tensor(2, 3)}
        self.rejects(more, says=["'fc.weight'", "'fc2.weight'", "--head"])
        self.rejects(state() | state("gru"), says="--rnn-prefix")
        words = ("<pad>", "none", "good", "bad", "film", "the")
        self.rejects(state(), words=words, says="--unknown")
        self.rejects(state(), "--unknown", "other", words=words, says="'other'")
        self.ok(*self.arguments(state(), words), "--unknown", "none")
        self.path("model.skim").unlink()

    def test_rejects_duplicate_and_empty_words(self):
        self.rejects(state(), words=("<unk>", "good", "good", "bad", "film", "the"), says="good")
        self.rejects(state(), words=("<unk>", "good", "", "bad", "film", "the"), says="empty")

    def test_rejects_invalid_values_and_types(self):
        broken = bytes(12 * 4 * 4 - 4) + b"\0\0\x80\x7f"
        self.rejects(state() | {"lstm.weight_ih_l0": ("F32", [12, 4], broken)}, says=["'lstm.weight_ih_l0'", "infinity"])
        self.rejects(state() | {"fc.bias": ("U8", [2], b"\0\0")}, says=["'fc.bias'", "U8", "F32, F16 or BF16"])
        self.rejects(state() | {"steps": ("I64", [], bytes(8))}, says=["'steps'", "I64"])

    def test_rejects_truncated_files(self):
        self.arguments(state())
        whole = self.path("state.safetensors").read_bytes()
        for size in (0, 5, 8, 100, len(whole) - 1):
            self.rejects(whole[:size], says="state.safetensors")
        self.rejects(whole + b"x", says="follow the last tensor")
        self.rejects(b"\xff" * 100, says="not a")

    def test_reports_wrong_usage(self):
        command = self.arguments(state())
        for option in ("--words", "--labels", "--out"):
            at = command.index(option)
            self.fails(*command[:at], *command[at + 2:], code=2, says=option)
        self.fails(*command, "--pooling", "attention", code=2, says="--pooling")
        self.fails("import", self.path("none"), *command[2:], says="none")
