"""Values that scripts pass by accident: empty variables, negative counts, files that are not models."""
import resource

import support
from support import SkimTest


class EmptyValues(SkimTest):
    def test_an_empty_model_is_not_the_built_in_one(self):
        for verb in (["read", "--model", "", "text"], ["run", "--model", ""], ["eval", support.DATA, "--model", ""]):
            self.fails(*verb, code=2, says="--model")
        self.fails("serve", "--model", "reviews=", "--port", 0, code=2, says="--model reviews= names no file")

    def test_an_empty_number_is_rejected(self):
        self.fails("read", "--threshold", "", "text", code=2, says="--threshold")
        self.fails("read", "--budget", "", "text", code=2, says="--budget")

    def test_an_empty_text_is_a_text(self):
        self.assertIn("read 0 of 0 words", self.ok("read", "--model", support.MODEL))


class Counts(SkimTest):
    def test_negative_counts_are_rejected(self):
        for options in (["--threads", -1], ["--threads", 100000], ["--table-memory", -1]):
            self.fails("eval", support.DATA, "--model", support.MODEL, *options, code=2, says=options[0])
        self.fails("run", "--model", support.MODEL, "--threads", -1, code=2, says="--threads")


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
