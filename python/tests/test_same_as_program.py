"""The package and the command-line program give equal answers and traces."""
import json
import unittest

import support


def without_time(reading):
    return {field: value for field, value in reading.items() if field not in ("microseconds", "warm_microseconds")}


class SameAsProgram(unittest.TestCase):
    maxDiff = 2000

    def assert_same(self, readings, expected):
        self.assertEqual(len(readings), len(expected))
        for reading, other in zip(readings, expected):
            actual = reading.to_dict()
            self.assertEqual(list(actual), list(other))
            self.assertEqual(without_time(actual), without_time(other), reading.text)

    def test_many_texts_by_every_model(self):
        queries = [{"text": text} for text in support.texts()]
        for name in ("default", "both", "levels", "multilabel", "number"):
            with self.subTest(name):
                self.assert_same(support.model(name).read_many(support.texts(), threads=2), support.run_json(name, queries))

    def test_one_text_at_a_time(self):
        readings = [support.model("default").read(text) for text in support.texts()]
        self.assertEqual(readings, support.model("default").read_many(support.texts(), threads=1))

    def test_every_policy(self):
        few = support.texts()[:40]
        queries = [{"text": text} for text in few]
        for options, arguments in (
                ({"threshold": 0.9}, ["--threshold", 0.9]), ({"threshold": 0}, ["--threshold", 0]),
                ({"threshold": 1}, ["--threshold", 1]), ({"budget": 0.3}, ["--budget", 0.3]),
                ({"rule": "argmax"}, ["--argmax"]), ({"abstain": 0.8}, ["--abstain", 0.8]),
                ({"confident": 0.7}, ["--confident", 0.7]), ({"rule": "sample", "seed": 7}, ["--sample", "--seed", 7])):
            with self.subTest(options):
                expected = support.run_json("default", queries, *arguments)
                self.assert_same(support.model("default").read_many(few, **options), expected)
                self.assert_same([support.model("default").read(text, **options) for text in few], expected)

    def test_questions(self):
        for name in ("cloze", "span", "bidaf"):
            with self.subTest(name):
                more = {"question": support.QUESTION}
                if name == "cloze":
                    more["choices"] = support.CHOICES
                queries = [{"text": text, **more} for text in support.texts()[:50]] + [{"text": "", **more}]
                expected = support.run_json(name, queries)
                self.assert_same(support.model(name).read_many(queries), expected)
                self.assert_same([support.model(name).read(**query) for query in queries], expected)
                self.assert_same(support.model(name).read_many([query["text"] for query in queries], **more), expected)

    def test_without_words(self):
        text = support.texts()[3]
        expected = json.loads(support.run_skim("run", "--json", text=text))
        self.assertEqual(without_time(support.model("default").read(text).to_dict(words=False)), without_time(expected))

    def test_to_json_equals_skim_read(self):
        text = support.texts()[1]
        expected = json.loads(support.run_skim("read", "--json", text=text))
        actual = json.loads(support.model("default").read(text).to_json())
        self.assertEqual(list(actual) + ["warm_microseconds"], list(expected))
        self.assertEqual(without_time(actual), without_time(expected))

    def test_spec_equals_skim_info(self):
        for name in ("default", "levels", "bidaf"):
            expected = json.loads(support.run_skim("info", "--json", support.model_path(name)))
            self.assertEqual(support.model(name).spec, expected["spec"])


if __name__ == "__main__":
    unittest.main()
