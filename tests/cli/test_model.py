"""skim info, verify and quantize: what is in a model file. skim bench: no file at all."""
import os
import pathlib

import support
from support import SkimTest


class Info(SkimTest):
    def test_json_describes_the_file(self):
        out = self.json("info", support.MODEL, "--json")
        self.assertFields(out, ["model", "file_bytes", "spec", "labels", "parameters", "weight_type", "calibration", "probes",
                                "about", "tensors"])
        self.assertEqual(out["file_bytes"], os.path.getsize(support.MODEL))
        self.assertEqual(out["spec"]["reader"]["hidden_size"], 100)
        self.assertEqual(out["labels"], ["negative", "positive"])
        self.assertGreater(out["parameters"], out["embedding_parameters"])

    def test_model_is_an_argument_or_an_option(self):
        self.assertEqual(self.ok("info", support.MODEL), self.ok("info", "--model", support.MODEL))
        self.fails("info", support.MODEL, "--model", support.MODEL, code=2, says="cannot be given together")

    def test_default_output_is_a_list(self):
        out = self.ok("info", support.MODEL)
        for words in ("skim lstm, 1 layer", "hidden size", "parameters", "f32", "negative, positive", "calibration"):
            self.assertIn(words, out)
        self.assertIn("both directions", self.ok("info", support.path("both.skim")))

    def test_training_options_are_a_list(self):
        """They were one line of JSON, with \\x0a before the note of skim quantize."""
        out = self.ok("info", pathlib.Path(__file__).parents[2] / "models/default.skim")
        self.assertIn("\nabout         seed: 1\n", out)
        self.assertIn("\n              Weights changed from f32 to int8.\n", out)
        self.assertNotIn("{", out)

    def test_parameter_count_does_not_depend_on_the_weight_type(self):
        for kind in ("bf16", "int8"):
            name = support.path(f"count-{kind}.skim")
            support.skim("quantize", support.MODEL, "--weights", kind, "--out", name)
            self.assertEqual(self.json("info", name, "--json")["parameters"],
                             self.json("info", support.MODEL, "--json")["parameters"])


class Verify(SkimTest):
    def test_valid_file_passes(self):
        out = self.json("verify", support.MODEL, "--json")
        self.assertTrue(out["ok"])
        self.assertGreater(out["probes"], 0)
        self.assertIn("probes gave the stored answers", self.ok("verify", support.MODEL))

    def test_detects_changed_weights(self):
        content = bytearray(open(support.MODEL, "rb").read())
        content[-40] ^= 0x10  # in the last tensor: the file still opens
        name = support.path("changed.skim")
        open(name, "wb").write(content)
        done = support.skim("verify", name)
        self.assertEqual(done.returncode, 1)
        self.assertIn("changed.skim", done.out + done.err)


class Quantize(SkimTest):
    def quantized(self, kind, name):
        out = self.json("quantize", support.MODEL, "--weights", kind, "--out", support.path(name), "--json", "--quiet")
        return support.path(name), out

    def test_quantized_models_are_smaller_and_accurate(self):
        sizes = [os.path.getsize(support.MODEL)]
        for kind in ("bf16", "int8"):
            name, out = self.quantized(kind, f"{kind}.skim")
            self.assertEqual(out["file_bytes"], os.path.getsize(name))
            sizes.append(out["file_bytes"])
            report = self.json("eval", support.DATA, "--model", name, "--json", "--no-speed")
            self.assertGreaterEqual(report["accuracy"], 0.95)
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_probes_are_recomputed(self):
        name, out = self.quantized("int8", "probes.skim")
        self.assertGreater(out["probes"], 0)
        self.assertTrue(self.json("verify", name, "--json")["ok"])

    def test_same_weight_type_changes_nothing(self):
        name, out = self.quantized("f32", "same.skim")
        self.assertEqual((out["answers_changed"], out["decisions_changed"]), (0, 0))
        self.assertEqual(open(name, "rb").read(), open(support.MODEL, "rb").read())

    def test_notes_an_outdated_calibration(self):
        tuned = support.path("tuned-for-quantize.skim")
        self.ok("tune", support.DATA, "--model", support.MODEL, "--out", tuned)
        done = support.skim("quantize", tuned, "--weights", "bf16", "--out", support.path("old.skim"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("skim tune", done.err)
        calibration = self.json("info", support.path("old.skim"), "--json")["calibration"]
        self.assertIn("before the weights changed from f32 to bf16", calibration["data"])

    def test_vocab_size_truncates_the_vocabulary(self):
        name = support.path("few-words.skim")
        out = self.json("quantize", support.MODEL, "--vocab-size", "12", "--out", name, "--json", "--quiet")
        self.assertEqual((out["vocab_size"], out["weight_type"]), (12, "f32"))
        self.assertLess(out["file_bytes"], out["file_bytes_before"])
        info = self.json("info", name, "--json")
        self.assertEqual(info["spec"]["vocab_size"], 12)
        self.assertIn("to 12 words", info["about"])
        self.assertTrue(self.json("verify", name, "--json")["ok"])
        more = self.json("quantize", support.MODEL, "--vocab-size", "1000000", "--out", name, "--json", "--quiet")
        self.assertEqual(more["file_bytes"], more["file_bytes_before"])
        self.fails("quantize", support.MODEL, "--vocab-size", "1", "--out", name, code=2, says="2 or more")

    def test_unwritable_output_is_reported(self):
        self.fails("quantize", support.MODEL, "--weights", "int8", "--out", "/no/such/x.skim", says="/no/such")


class Bench(SkimTest):
    QUICK = ["bench", "--hidden-size", "16", "--skim-size", "4", "--skim-rates", "0.5,0.9", "--rounds", "2", "--sequence", "20",
             "--vocab-size", "100"]

    def test_json_has_the_documented_fields(self):
        rows = self.json(*self.QUICK, "--json")
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertFields(row, ["cell", "hidden_size", "skim_size", "skim_rate", "dense_ns_per_word", "skim_ns_per_word",
                                    "speedup", "flop_reduction"])
            self.assertFlops(row["flop_reduction"])
            self.assertEqual((row["cell"], row["hidden_size"], row["skim_size"]), ("lstm", 16, 4))

    def test_batch_is_measured_beside_single_texts(self):
        for row in self.json(*self.QUICK, "--batch", "4", "--json"):
            self.assertFields(row["batch"], ["texts", "dense_ns_per_word", "skim_ns_per_word", "dense_gain", "skim_gain",
                                             "speedup"])
            self.assertEqual(row["batch"]["texts"], 4)
            self.assertGreater(row["speedup"], 0)
        out = self.ok(*self.QUICK, "--batch", "4")
        self.assertIn("4 texts in flight", out)
        self.assertIn("speed-up single", out)
        self.fails(*self.QUICK, "--batch", "17", code=2, says="--batch")
        self.fails(*self.QUICK, "--batch", "4", "--inputs", "rows", code=2, says="several texts at once")

    def test_measures_every_cell_weight_type_and_input(self):
        for option, values in (("--cell", ("gru", "rnn")), ("--weights", ("bf16", "int8")), ("--inputs", ("rows",)),
                               ("--small-input", ("full",))):
            for value in values:
                self.assertEqual(len(self.json(*self.QUICK, "--json", option, value)), 2)

    def test_default_output_is_a_table_with_the_machine(self):
        out = self.ok(*self.QUICK)
        self.assertIn("speed-up", out)
        self.assertIn("Machine: ", out)

    def test_invalid_sizes_are_reported(self):
        self.fails("bench", "--hidden-size", "10", "--skim-size", "20", code=2, says="skim size 20")
        self.fails("bench", "--skim-rates", "1.5", code=2, says="skim rates")
