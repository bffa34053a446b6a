"""Values that scripts pass by accident: empty variables, negative counts, files that are not models."""
import resource

import support
from model_bytes import write_overflowing
from support import SkimTest


class EmptyValues(SkimTest):
    def test_an_empty_model_is_not_the_built_in_one(self):
        for verb in (["read", "--model", "", "text"], ["run", "--model", ""], ["eval", support.DATA, "--model", ""]):
            self.fails(*verb, code=2, says="--model")
        self.fails("serve", "--model", "reviews=", "--port", 0, code=2, says="--model reviews= names no file")

    def test_an_empty_number_is_rejected(self):
        self.fails("read", "--threshold", "", "text", code=2, says="--threshold")
        self.fails("read", "--budget", "", "text", code=2, says="--budget")

    def test_an_option_with_an_empty_value_does_not_take_the_next_argument(self):
        """--threshold=$UNSET 1 film was read with the threshold 1."""
        self.fails("read", "--model", support.MODEL, "--threshold=", "1", "film", code=2, says="--threshold= has no value")
        self.fails("eval", support.DATA, "--model=", support.MODEL, code=2, says="--model= has no value")
        self.assertIn("--threshold=", self.ok("read", "--model", support.MODEL, "--", "--threshold=", "film"))

    def test_an_empty_text_is_a_text(self):
        self.assertIn("read 0 of 0 words", self.ok("read", "--model", support.MODEL))


class Counts(SkimTest):
    def test_negative_counts_are_rejected(self):
        for options in (["--threads", -1], ["--threads", 100000], ["--table-memory", -1]):
            self.fails("eval", support.DATA, "--model", support.MODEL, *options, code=2, says=options[0])
        self.fails("run", "--model", support.MODEL, "--threads", -1, code=2, says="--threads")
        self.fails("read", "--model", support.MODEL, "--sample", "--seed", -1, "text", code=2, says="--seed")
        for option in ("--rounds", "--sequence", "--vocab-size", "--hidden-size", "--skim-rates"):
            self.fails("bench", option, -1, code=2)


class SparseFile(SkimTest):
    def test_a_sparse_file_is_refused_without_reading_it(self):
        """Populating the mapping before looking at the header took 40 s and 3.3 GB."""
        name = support.path("sparse.skim")
        with open(name, "wb") as file:
            file.truncate(10 << 30)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.fails("info", name, says="not a model")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_minflt - before.ru_minflt, 10000, "pages of the file were read")


class HugeWeights(SkimTest):
    """Weights close to the largest float gave "score": null and exit code 0."""

    def test_results_that_are_not_finite_are_an_error(self):
        name = support.path("huge.skim")
        write_overflowing(support.MODEL, name)
        with_model = ["--model", name]
        for arguments in (["read", *with_model, "--json", "a wonderful film"], ["run", *with_model],
                          ["eval", support.DATA, *with_model], ["sweep", support.DATA, *with_model],
                          ["tune", support.DATA, *with_model], ["quantize", name, "--weights", "int8", "--out", name + "8"],
                          ["verify", name]):
            with self.subTest(arguments[0]):
                self.fails(*arguments, text="a wonderful film", says="huge.skim")
        upgraded = support.path("huge-upgraded.skim")
        self.ok("upgrade", name, "--out", upgraded)
        self.fails("verify", upgraded, says=[upgraded, "not finite"])
