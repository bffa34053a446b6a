"""Invalid arguments raise errors with a message, and never crash."""
import copy
import pickle
import sys
import unittest

import numpy as np
import skim
import support


class Files(unittest.TestCase):
    def test_a_missing_file_is_an_os_error(self):
        with self.assertRaises(skim.FileError) as caught:
            skim.Model.load(support.FOLDER / "gone.skim")
        self.assertIsInstance(caught.exception, OSError)
        self.assertIsInstance(caught.exception, skim.Error)
        self.assertEqual(caught.exception.fault, "io")
        self.assertIn("gone.skim", str(caught.exception))

    def test_files_that_are_not_models_are_rejected(self):
        for path in (support.FOLDER, support.FOLDER / "train.tsv", b"/dev/null", "", b"/\xff\xfe"):
            with self.assertRaises(skim.Error):
                skim.Model.load(path)
        with self.assertRaisesRegex(skim.Error, "NUL character"):
            skim.Model.load("a\0b")
        with self.assertRaisesRegex(skim.Error, "character 1 cannot be encoded"):
            skim.Model.load("a\ud800")
        for path in (3.5, ["a"], {}):
            self.assertRaises(TypeError, skim.Model.load, path)

    def test_corrupt_bytes_are_rejected(self):
        data = support.model_path("planted").read_bytes()
        for damaged in (b"", data[:-1], data[:100], data[:40] + b"\0" + data[41:], b"\xff" * 100):
            with self.assertRaises(skim.Error) as caught:
                skim.Model.from_bytes(damaged, "mine")
            self.assertIn("mine", str(caught.exception))
            self.assertEqual(caught.exception.fault, "format")
        for wrong in (None, 5, "text"):
            self.assertRaises(TypeError, skim.Model.from_bytes, wrong)

    def test_results_that_are_not_finite_are_an_error(self):
        sys.path.append(str(support.SOURCE / "tests/support"))
        from model_bytes import write_overflowing
        write_overflowing(support.model_path("planted"), support.FOLDER / "huge.skim")
        model = skim.Model.load(support.FOLDER / "huge.skim")
        for read in (model.read, lambda text: model.read_many([text])):
            with self.assertRaisesRegex(skim.Error, "huge.skim: .* not finite") as caught:
                read("a wonderful film")
            self.assertEqual(caught.exception.fault, "format")

    def test_errors_survive_pickling(self):
        try:
            skim.Model.load(support.FOLDER / "gone.skim")
        except skim.Error as error:
            copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(copy), copy.fault), (skim.FileError, "io"))

    def test_models_cannot_be_constructed_directly(self):
        self.assertRaises(TypeError, skim.Model)
        self.assertRaises(TypeError, skim.Model, "path")


class Instances(unittest.TestCase):
    """Instances without a C++ object crashed in every method."""

    def test_classes_of_the_extension_module_create_no_empty_instances(self):
        classes = [each for each in vars(skim._skim).values() if isinstance(each, type)]
        self.assertIn(skim.State, classes)
        self.assertGreaterEqual(len(classes), 4)
        for each in classes:
            derived = type("Derived", (each,), {})
            for create in (each, derived, lambda: each.__new__(each), lambda: each.__new__(derived),
                           lambda: derived.__new__(derived, 1, a=2), lambda: each.__base__.__new__(each),
                           lambda: each.__base__.__new__(derived), lambda: object.__new__(each)):
                with self.subTest(each.__name__):
                    self.assertRaises(TypeError, create)
        with self.assertRaisesRegex(TypeError, "no constructor"):
            skim.State.__new__(skim.State)

    def test_states_cannot_be_copied_without_their_content(self):
        state = skim.SkimReader({"cell": "rnn", "input_size": 2, "hidden_size": 2},
                                support.tensors_for({"cell": "rnn", "input_size": 2, "hidden_size": 2})).start()
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            self.assertRaises(TypeError, copied, state)


class Texts(unittest.TestCase):
    def setUp(self):
        self.model = support.model("planted")

    def test_only_str_is_text(self):
        for wrong in (None, b"bytes", 3, ["a"], np.float32(1)):
            self.assertRaises(TypeError, self.model.read, wrong)
            self.assertRaises(TypeError, self.model.read, "a", question=wrong if wrong is not None else 1)

    def test_lone_surrogates_are_rejected_with_their_position(self):
        with self.assertRaisesRegex(skim.Error, r"text: character 3 is a lone surrogate \(U\+DC80\)"):
            self.model.read("abc\udc80")
        with self.assertRaisesRegex(skim.Error, "text 1: text: character 0"):
            self.model.read_many(["fine", "\ud800"])

    def test_nul_and_control_characters_are_accepted(self):
        self.assertEqual("".join(word.text for word in self.model.read("a\0b \x1b c").words).replace("\0", ""), "ab\x1bc")

    def test_a_huge_text_is_read(self):
        reading = self.model.read("a wonderful film " * 200_000)
        self.assertEqual(len(reading.words), 600_000)

    def test_a_huge_word_is_read(self):
        self.assertEqual(len(self.model.read("x" * 5_000_000).words), 1)

    def test_questions_and_choices_must_fit_the_model(self):
        with self.assertRaisesRegex(skim.Error, "no question"):
            self.model.read("a", question="why?")
        with self.assertRaisesRegex(skim.Error, "no choices"):
            self.model.read("a", choices=["b"])
        with self.assertRaisesRegex(skim.Error, "no question was given"):
            support.model("span").read("a")
        with self.assertRaisesRegex(skim.Error, "no choices were given"):
            support.model("cloze").read("a", question="b")

    def test_choices_must_be_a_sequence_of_str(self):
        for wrong in ("one", b"one", [1], [None], 3):
            self.assertRaises(TypeError, support.model("cloze").read, "a", question="b", choices=wrong)


class ManyTexts(unittest.TestCase):
    def test_errors_name_the_index_of_the_text(self):
        for wrong in (None, b"x", 7, {"text": 3}, ["a"]):
            with self.assertRaisesRegex(TypeError, "text 2: "):
                support.model("planted").read_many(["a", "b", wrong, "d"])
        with self.assertRaisesRegex(skim.Error, "text 1: the mapping has no key 'text'"):
            support.model("planted").read_many(["a", {"question": "b"}])
        with self.assertRaisesRegex(skim.Error, "text 1100: .*no question was given"):
            support.model("span").read_many([{"text": "a", "question": "b"}] * 1100 + ["a"])

    def test_read_many_rejects_a_single_text(self):
        for wrong in ("text", b"text", {"text": "a"}, None, 3):
            self.assertRaises(TypeError, support.model("planted").read_many, wrong)

    def test_threads_must_be_an_integer_in_range(self):
        for wrong in (-1, 1025, 10**30):
            self.assertRaises(skim.Error, support.model("planted").read_many, ["a"], threads=wrong)
        for wrong in ("2", 1.5, None):
            self.assertRaises(TypeError, support.model("planted").read_many, ["a"], threads=wrong)

    def test_exceptions_of_the_iterable_propagate(self):
        def broken():
            yield "a"
            raise KeyError("mine")
        self.assertRaises(KeyError, support.model("planted").read_many, broken())


class PolicyArguments(unittest.TestCase):
    def test_threshold_and_budget_must_be_fractions(self):
        model = support.model("default")
        for wrong in (-0.1, 1.1, float("nan"), float("inf"), 1e300):
            self.assertRaises(skim.Error, model.read, "a", threshold=wrong)
            self.assertRaises(skim.Error, model.read, "a", budget=wrong)
            self.assertRaises(skim.Error, model.threshold_for, wrong)
        for wrong in ("much", [1], None):
            self.assertRaises(TypeError, model.threshold_for, wrong)

    def test_threshold_budget_and_rule_are_mutually_exclusive(self):
        model = support.model("default")
        for options in ({"threshold": 0.5, "budget": 0.5}, {"threshold": 0.5, "rule": "argmax"},
                        {"budget": 0.5, "rule": "sample"}, {"seed": 3}, {"rule": "argmax", "seed": 3}, {"rule": "guess"},
                        {"rule": "sample", "seed": -1}, {"rule": "sample", "seed": 1 << 64}):
            with self.subTest(options):
                self.assertRaises(skim.Error, model.read, "a", **options)
                self.assertRaises(skim.Error, model.read_many, ["a"], **options)
        self.assertRaises(TypeError, model.read, "a", rule="sample", seed="x")

    def test_a_budget_needs_a_calibrated_model(self):
        with self.assertRaisesRegex(skim.Error, "skim tune"):
            support.model("lstm-f32").read("a", budget=0.5)
        with self.assertRaisesRegex(skim.Error, "spends at least"):
            support.model("default").read("a", budget=0)


if __name__ == "__main__":
    unittest.main()
