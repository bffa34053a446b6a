"""make_data: generated data sets."""
import json
import pathlib
import subprocess

import support
from support import SkimTest


def make_data(*arguments):
    return subprocess.run([support.MAKE_DATA, *map(str, arguments)], capture_output=True, text=True,
                          timeout=support.TIMEOUT)


class Data(SkimTest):
    def made(self, task, *options):
        into = pathlib.Path(support.path(f"made-{task}"))
        done = make_data(task, "--into", into, "--train", 40, "--dev", 5, "--test", 4, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return into

    def test_help_names_every_task(self):
        done = make_data("--help")
        self.assertEqual(done.returncode, 0)
        for task in ("planted", "questions", "cloze"):
            self.assertIn(f"\n  {task}", done.stdout)

    def test_planted_has_the_requested_sizes(self):
        into = self.made("planted")
        self.assertEqual([len((into / f"{part}.tsv").read_text().splitlines()) for part in ("train", "dev", "test")],
                         [40, 5, 4])

    def test_question_offsets_are_correct_and_parts_are_disjoint(self):
        into = self.made("questions", "--words", 50)
        passages = []
        for part, count in (("train", 40), ("dev", 5), ("test", 4)):
            paragraphs = json.loads((into / f"{part}.json").read_text())["data"][0]["paragraphs"]
            passages += [paragraph["context"] for paragraph in paragraphs]
            asked = [(paragraph["context"], question) for paragraph in paragraphs for question in paragraph["qas"]]
            self.assertEqual(len(asked), count)
            for context, question in asked:
                answer = question["answers"][0]
                self.assertTrue(context[answer["answer_start"]:].startswith(answer["text"]))
        self.assertEqual(len(passages), len(set(passages)))

    def test_cloze_questions_have_twenty_sentences_and_ten_choices(self):
        into = self.made("cloze")
        for part, count in (("train", 40), ("dev", 5), ("test", 4)):
            clozes = (into / f"{part}.txt").read_text().strip().split("\n\n")
            self.assertEqual(len(clozes), count)
            for cloze in clozes:
                *sentences, last = cloze.split("\n")
                question, answer, nothing, choices = last.split("\t")
                self.assertEqual((len(sentences), nothing, len(choices.split("|"))), (20, "", 10))
                self.assertIn(answer, choices.split("|"))
                self.assertIn("XXXXX", question)

    def test_options_of_other_tasks_are_wrong_usage(self):
        into = support.path("never")
        for task, option, says in (("questions", ["--format", "jsonl"], "--format is for planted only"),
                                   ("cloze", ["--negators"], "--negators is for planted only"),
                                   ("cloze", ["--words", "10"], "--words is not for cloze"),
                                   ("questions", ["--words", "0"], "at least 1"),
                                   ("planted", ["--dev", "0"], "at least 1"),
                                   ("riddles", [], "expected planted, questions or cloze")):
            with self.subTest(task=task, option=option):
                done = make_data(task, "--into", into, *option)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(says, done.stderr)
        self.assertFalse(pathlib.Path(into).exists())
