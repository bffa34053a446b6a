"""The package and the program give equal answers and traces."""
import json
import unittest

import support


def without_time(said):
    return {field: value for field, value in said.items() if field != "microseconds"}


class SameAsProgram(unittest.TestCase):
    maxDiff = 2000

    def same(self, readings, said):
        self.assertEqual(len(readings), len(said))
        for reading, other in zip(readings, said):
            mine = reading.to_dict()
            self.assertEqual(list(mine), list(other))
            self.assertEqual(without_time(mine), without_time(other), reading.text)

    def test_many_texts_by_every_model(self):
        queries = [{"text": text} for text in support.texts()]
        for name in ("default", "both", "levels"):
            with self.subTest(name):
                self.same(support.model(name).read_many(support.texts(), threads=2), support.run_json(name, queries))

    def test_one_text_at_a_time(self):
        readings = [support.model("default").read(text) for text in support.texts()]
        self.assertEqual(readings, support.model("default").read_many(support.texts(), threads=1))

    def test_every_way_to_decide(self):
        few = support.texts()[:40]
        queries = [{"text": text} for text in few]
        for options, arguments in (
                ({"threshold": 0.9}, ["--threshold", 0.9]), ({"threshold": 0}, ["--threshold", 0]),
                ({"threshold": 1}, ["--threshold", 1]), ({"budget": 0.3}, ["--budget", 0.3]),
                ({"rule": "argmax"}, ["--argmax"]), ({"rule": "sample", "seed": 7}, ["--sample", "--seed", 7])):
            with self.subTest(options):
                said = support.run_json("default", queries, *arguments)
                self.same(support.model("default").read_many(few, **options), said)
                self.same([support.model("default").read(text, **options) for text in few], said)

    def test_questions(self):
        for name in ("cloze", "span", "bidaf"):
            with self.subTest(name):
                more = {"question": support.QUESTION}
                if name == "cloze":
                    more["choices"] = support.CHOICES
                queries = [{"text": text, **more} for text in support.texts()[:50]] + [{"text": "", **more}]
                said = support.run_json(name, queries)
                self.same(support.model(name).read_many(queries), said)
                self.same([support.model(name).read(**query) for query in queries], said)
                self.same(support.model(name).read_many([query["text"] for query in queries], **more), said)

    def test_without_words(self):
        text = support.texts()[3]
        said = json.loads(support.run_skim("run", "--json", text=text))
        self.assertEqual(without_time(support.model("default").read(text).to_dict(words=False)), without_time(said))

    def test_read_as_json(self):
        text = support.texts()[1]
        said = json.loads(support.run_skim("read", "--json", text=text))
        mine = json.loads(support.model("default").read(text).to_json())
        self.assertEqual(list(mine), list(said))
        self.assertEqual(without_time(mine), without_time(said))

    def test_spec_is_what_info_says(self):
        for name in ("default", "levels", "bidaf"):
            said = json.loads(support.run_skim("info", "--json", support.path_of(name)))
            self.assertEqual(support.model(name).spec, said["spec"])


if __name__ == "__main__":
    unittest.main()
