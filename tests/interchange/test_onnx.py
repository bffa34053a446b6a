"""skim export --onnx: ONNX Runtime gives the same scores and takes the same decisions."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import unittest

import onnx_file
from programs import (PLANTED, SKIM, SOURCE, InterchangeTest, example, largest_difference, get_p_read, run, get_scores,
                      get_widths)

sys.path.insert(0, str(SOURCE / "bench/peers"))
import peers  # noqa: E402

# Both compute in f32 and add up in another order; what was seen over all 944 shapes is 7e-7 and 4e-6.
SAME = 1e-4
THRESHOLDS = (0.5, 0.0, 0.3, 1.0, 0.7)
LENGTHS = (0, 1, 2, 33)


def exported(case, model):
    out = model.with_suffix(".onnx")
    case.ok("export", model, "--onnx", out)
    return out


def random_texts(words, lengths, seed):
    """Texts of the words, some of them unknown."""
    draw = random.Random(seed)
    return [" ".join(draw.choice(words[1:] + ["zxunknown"]) for _ in range(length)) for length in lengths]


def lookup_ids(text, words):
    places = {word: place for place, word in enumerate(words)}
    return [places.get(word, 0) for word in text.split()]


class Structure(InterchangeTest):
    """What can be seen without running anything."""

    def test_big_cell_is_inside_a_branch_of_the_loop(self):
        model = self.planted("model.skim", "--skim-size", "10,5", "--num-layers", "2", "--bidirectional", "yes")
        graph, _ = onnx_file.read(exported(self, model))
        for reader in ("0.forward", "0.backward", "1.forward", "1.backward"):
            for matrix in ("weight_ih", "weight_hh"):
                users = list(onnx_file.find_users(graph, f"reader.{reader}.big.{matrix}"))
                self.assertEqual([inside for _, inside in users], [(("Loop", "body"), ("If", "then_branch"))])

    def test_inputs_outputs_and_metadata_match_the_docs(self):
        model = self.planted("model.skim", "--vocab-size", "300")
        words = self.path("words.json")
        self.ok("export", model, "--onnx", self.path("model.onnx"), "--words", words)
        graph, metadata = onnx_file.read(self.path("model.onnx"))
        self.assertEqual((graph.inputs, graph.outputs), (["words", "threshold"], ["scores", "widths", "p_read"]))
        info = json.loads(self.ok("info", model, "--json"))
        self.assertEqual(json.loads(metadata["skim.spec"]), info["spec"])
        self.assertEqual(json.loads(metadata["skim.labels"]), ["negative", "positive"])
        beside = json.loads(words.read_text())
        self.assertEqual(beside["words"], json.loads(metadata["skim.words"]))
        self.assertEqual((len(beside["words"]), beside["tokenizer"]), (300, "english"))

    def test_export_is_deterministic(self):
        model = self.planted("model.skim")
        first = exported(self, model).read_bytes()
        self.assertEqual(exported(self, model).read_bytes(), first)

    def test_rejects_models_that_cannot_be_exported(self):
        subprocess.run([PLANTED, "--shapes", str(self.path("shapes")), "--every", "48"], check=True)
        out, rejected = self.path("x.onnx"), set()
        for model in self.path("shapes").glob("*.skim"):
            done = run(SKIM, "export", model, "--onnx", out)
            if done.returncode == 0:
                out.unlink()
                continue
            rejected.add(re.search("cannot be exported: .*(cloze|span|bidaf|lstm-jump|skip-rnn|vcrnn)", done.stderr)[1])
        self.assertEqual(rejected, {"lstm-jump", "skip-rnn", "vcrnn", "cloze", "span", "bidaf"})
        self.assertFalse(out.exists())

    def test_reports_wrong_usage(self):
        model = self.planted("model.skim")
        self.fails("export", model, code=2, says="--onnx")
        self.fails("export", model, "--onnx", "/no/such/x.onnx", says="/no/such")
        self.fails("export", self.path("none.skim"), "--onnx", self.path("x.onnx"), says="none.skim")


class OnnxRuntime(InterchangeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not shutil.which("node"):
            raise unittest.SkipTest("node is not installed")
        # Where there is no network that must be found out soon.
        os.environ |= {"npm_config_fetch_retries": "0", "npm_config_fetch_timeout": "20000"}
        packages = SOURCE / "build/peers"
        packages.mkdir(parents=True, exist_ok=True)
        try:
            peers.ort_folder(packages)
        except peers.Missing as reason:
            raise unittest.SkipTest(f"onnxruntime-node cannot be had: {reason}") from reason
        cls.modules = packages / "node_modules"

    def run_onnx(self, jobs):
        listed = self.path("jobs.json")
        listed.write_text(json.dumps(jobs))
        done = run("node", SOURCE / "tests/interchange/ort_run.cjs", listed, env=dict(os.environ, NODE_PATH=self.modules))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def vocabulary(self, onnx):
        return json.loads(onnx_file.read(onnx)[1]["skim.words"])

    def compare(self, cases):
        """Of each (model, ONNX file, thresholds): the same scores and decisions on texts of several lengths."""
        jobs, expected = [], []
        for seed, (model, onnx, thresholds) in enumerate(cases):
            words = self.vocabulary(onnx)
            texts = random_texts(words, LENGTHS, seed)
            runs, ours = [], []
            for threshold in thresholds:
                ours += self.readings(model, texts, threshold)
                runs += [{"words": lookup_ids(text, words), "threshold": threshold} for text in texts]
            jobs.append({"model": str(onnx), "runs": runs})
            expected.append(ours)
        steps = 0
        for (model, _, _), ours, theirs in zip(cases, expected, self.run_onnx(jobs), strict=True):
            with self.subTest(model.name):
                for reading, answer in zip(ours, theirs, strict=True):
                    self.assertEqual(answer["widths"], get_widths(reading))
                    self.assertLess(largest_difference(answer["scores"], get_scores(reading)), SAME)
                    for left, right in zip(answer["p_read"], get_p_read(reading), strict=True):
                        self.assertLess(largest_difference(left, right), SAME)
                        steps += len(left)
        return steps

    def test_every_kind_of_classifier_gives_the_same_results(self):
        # The shapes count through 16 nets for each reader, so every 17th has them all, in turn with all nets.
        subprocess.run([PLANTED, "--shapes", str(self.path("shapes")), "--every", "17"], check=True)
        cases = []
        for number, model in enumerate(sorted(self.path("shapes").glob("[0-9]*.skim"))):
            out = model.with_suffix(".onnx")
            if run(SKIM, "export", model, "--onnx", out).returncode == 0:
                cases.append((model, out, THRESHOLDS[number % 5:][:1]))
        self.assertGreater(len(cases), 50)
        self.assertGreater(self.compare(cases), 3000)

    def test_many_levels_and_wide_cells_give_the_same_results(self):
        models = [self.planted("levels.skim", "--skim-size", "40,20,10,5,0", "--pooling", "attention"),
                  self.planted("gru.skim", "--cell", "gru", "--num-layers", "3"),
                  self.planted("multilabel.skim", "--output", "sigmoid"), self.planted("number.skim", "--output", "linear"),
                  self.planted("dense.skim", "--reader", "dense", "--bidirectional", "yes", "--pooling", "mean")]
        self.compare([(model, exported(self, model), (0.5, 0.2)) for model in models])

    def test_temperature_is_exported(self):
        data, warm = self.path("data.tsv"), self.path("warm.skim")
        self.ok("tune", data, "--model", self.planted("model.skim", "--data", data), "--out", warm, "--quiet")
        self.assertNotEqual(json.loads(self.ok("info", warm, "--json"))["temperature"], 1)
        self.compare([(warm, exported(self, warm), (0.5, 0.2))])

    def test_quantized_weights_are_exported_as_f32(self):
        model = self.planted("model.skim")
        for kind in ("bf16", "int8"):
            small, back = self.path(f"{kind}.skim"), self.path(f"{kind}-as-f32.skim")
            self.ok("quantize", model, "--weights", kind, "--out", small, "--quiet")
            self.ok("quantize", small, "--weights", "f32", "--out", back, "--quiet")
            self.compare([(back, exported(self, small), (0.5, 0.2))])

    def test_big_cell_does_not_run_for_skimmed_words(self):
        model = self.planted("model.skim")
        onnx = exported(self, model)
        graph, _ = onnx_file.read(onnx)
        ((node, _),) = onnx_file.find_users(graph, "reader.0.forward.big.weight_hh")
        words = self.vocabulary(onnx)
        (text,) = random_texts(words, (60,), 1)
        for threshold in (0.5, 0.0, 1.0):
            prefix = self.path(f"profile-{threshold}-")
            ((answer,),) = self.run_onnx([{"model": str(onnx), "profile": str(prefix),
                                           "runs": [{"words": lookup_ids(text, words), "threshold": threshold}]}])
            (profile,) = prefix.parent.glob(prefix.name + "*")
            events = [event["name"] for event in json.loads(profile.read_text())]
            self.assertEqual(events.count(f"{node.name}_kernel_time"), answer["widths"][0].count(100))

    def test_docs_example_runs(self):
        text = "The plot is thin, but the ending is wonderful."
        model = self.planted("model.skim")
        self.ok("export", model, "--onnx", self.path("model.onnx"), "--words", self.path("words.json"))
        self.path("classify.cjs").write_text(example("js"))
        done = run("node", "classify.cjs", cwd=self.folder, env=dict(os.environ, NODE_PATH=self.modules))
        (reading,) = self.readings(model, [text])
        lines = done.stdout.splitlines()
        self.assertEqual(lines[1], f"positive {get_scores(reading)[1]:.4f}", done.stderr)
        self.assertEqual([int(word.split(":")[-1]) for word in lines[2].split()], get_widths(reading)[0])
