"""skim info, verify and quantize: what is in a model file. skim bench: no file at all."""
import os

import support
from support import SkimTest


class Info(SkimTest):
    def test_tells_what_the_file_holds(self):
        out = self.json("info", support.MODEL, "--json")
        self.assertFields(out, ["model", "file_bytes", "spec", "labels", "parameters", "weights", "calibration", "probes",
                                "about", "tensors"])
        self.assertEqual(out["file_bytes"], os.path.getsize(support.MODEL))
        self.assertEqual(out["spec"]["reader"]["hidden"], 100)
        self.assertEqual(out["labels"], ["negative", "positive"])
        self.assertGreater(out["parameters"], out["word_parameters"])

    def test_model_may_be_an_argument_or_an_option(self):
        self.assertEqual(self.ok("info", support.MODEL), self.ok("info", "--model", support.MODEL))
        self.fails("info", support.MODEL, "--model", support.MODEL, code=2, says="cannot be given together")

    def test_people_get_a_list(self):
        out = self.ok("info", support.MODEL)
        for words in ("skim lstm, 1 layer", "hidden units", "parameters", "f32", "negative, positive", "calibration"):
            self.assertIn(words, out)
        self.assertIn("both directions", self.ok("info", support.path("both.skim")))

    def test_weights_of_any_type_have_as_many_parameters(self):
        for kind in ("bf16", "int8"):
            name = support.path(f"count-{kind}.skim")
            support.skim("quantize", support.MODEL, "--weights", kind, "--out", name)
            self.assertEqual(self.json("info", name, "--json")["parameters"],
                             self.json("info", support.MODEL, "--json")["parameters"])


class Verify(SkimTest):
    def test_a_sound_file_passes(self):
        out = self.json("verify", support.MODEL, "--json")
        self.assertTrue(out["ok"])
        self.assertGreater(out["probes"], 0)
        self.assertIn("probes gave the stored answers", self.ok("verify", support.MODEL))

    def test_changed_weights_are_found(self):
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

    def test_makes_smaller_models_that_still_solve_the_task(self):
        sizes = [os.path.getsize(support.MODEL)]
        for kind in ("bf16", "int8"):
            name, out = self.quantized(kind, f"{kind}.skim")
            self.assertEqual(out["file_bytes"], os.path.getsize(name))
            sizes.append(out["file_bytes"])
            report = self.json("eval", support.DATA, "--model", name, "--json", "--no-speed")
            self.assertGreaterEqual(report["accuracy"], 0.95)
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_probes_are_answers_of_the_new_weights(self):
        name, out = self.quantized("int8", "probes.skim")
        self.assertGreater(out["probes"], 0)
        self.assertTrue(self.json("verify", name, "--json")["ok"])

    def test_the_same_type_changes_nothing(self):
        name, out = self.quantized("f32", "same.skim")
        self.assertEqual((out["answers_changed"], out["decisions_changed"]), (0, 0))
        self.assertEqual(open(name, "rb").read(), open(support.MODEL, "rb").read())

    def test_says_that_the_calibration_is_older(self):
        tuned = support.path("tuned-for-quantize.skim")
        self.ok("tune", support.DATA, "--model", support.MODEL, "--out", tuned)
        done = support.skim("quantize", tuned, "--weights", "bf16", "--out", support.path("old.skim"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("skim tune", done.err)
        calibration = self.json("info", support.path("old.skim"), "--json")["calibration"]
        self.assertIn("before the weights changed from f32 to bf16", calibration["data"])

    def test_rare_words_can_be_left_out(self):
        name = support.path("few-words.skim")
        out = self.json("quantize", support.MODEL, "--vocabulary", "12", "--out", name, "--json", "--quiet")
        self.assertEqual((out["vocabulary"], out["weights"]), (12, "f32"))
        self.assertLess(out["file_bytes"], out["file_bytes_before"])
        info = self.json("info", name, "--json")
        self.assertEqual(info["spec"]["vocabulary"], 12)
        self.assertIn("to 12 words", info["about"])
        self.assertTrue(self.json("verify", name, "--json")["ok"])
        more = self.json("quantize", support.MODEL, "--vocabulary", "1000000", "--out", name, "--json", "--quiet")
        self.assertEqual(more["file_bytes"], more["file_bytes_before"])
        self.fails("quantize", support.MODEL, "--vocabulary", "1", "--out", name, code=2, says="2 or more")

    def test_a_file_that_cannot_be_written_is_named(self):
        self.fails("quantize", support.MODEL, "--weights", "int8", "--out", "/no/such/x.skim", says="/no/such")


class Bench(SkimTest):
    QUICK = ["bench", "--hidden", "16", "--small", "4", "--skim-rates", "0.5,0.9", "--rounds", "2", "--sequence", "20",
             "--vocabulary", "100"]

    def test_fields_are_those_of_the_contract(self):
        rows = self.json(*self.QUICK, "--json")
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertFields(row, ["cell", "hidden", "small", "skim_rate", "plain_ns_per_word", "skim_ns_per_word",
                                    "speedup", "flop_reduction"])
            self.assertFlops(row["flop_reduction"])
            self.assertEqual((row["cell"], row["hidden"], row["small"]), ("lstm", 16, 4))

    def test_every_cell_weight_and_input_can_be_measured(self):
        for option, values in (("--cell", ("gru", "rnn")), ("--weights", ("bf16", "int8")), ("--inputs", ("rows",)),
                               ("--small-sees", ("all",))):
            for value in values:
                self.assertEqual(len(self.json(*self.QUICK, "--json", option, value)), 2)

    def test_people_get_a_table_and_the_machine(self):
        out = self.ok(*self.QUICK)
        self.assertIn("speed-up", out)
        self.assertIn("Machine: ", out)

    def test_impossible_sizes_are_explained(self):
        self.fails("bench", "--hidden", "10", "--small", "20", says="small")
        self.fails("bench", "--skim-rates", "1.5", says="skim rates")
