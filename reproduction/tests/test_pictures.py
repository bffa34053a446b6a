"""Pictures of readings, from what `skim read --json` prints."""
import unittest
import xml.etree.ElementTree as xml

from skimlab.pictures import ReviewPicture, draw_passage
from skimlab.readings import joined, pieces

SVG = "{http://www.w3.org/2000/svg}"


def reading(text, read, passes=1):
    """Words are split at blanks; `read` holds the indices of those that were read."""
    words, at = [], 0
    for i, word in enumerate(text.split(" ")):
        words.append({"text": word, "begin": at, "end": at + len(word.encode()), "width": 100 if i in read else 10})
        at += len(word.encode()) + 1
    steps = [{"width": word["width"]} for word in words]
    return {"answer": {"text": "yes", "score": 0.875, "begin": 0, "end": 3}, "words": words, "skim_rate": 0.5,
            "flop_reduction": {"counted": 2.0},
            "passes": [{"reader": f"{i}.forward", "hidden_size": 100, "steps": steps} for i in range(passes)]}


class Pieces(unittest.TestCase):
    def test_a_gap_between_two_read_words_counts_as_read(self):
        text = "naïve twenty minutes more"
        self.assertEqual(joined(pieces(text, reading(text, {1, 2}))),
                         [("naïve ", False), ("twenty minutes", True), (" more", False)])


class Review(unittest.TestCase):
    def test_shows_read_words_and_figures(self):
        text = "a <good> film " * 12 + "end"
        picture = ReviewPicture(text, reading(text, {1}))
        root = xml.fromstring(picture.svg())
        self.assertEqual([one.text for one in root.iter(f"{SVG}tspan")], ["<good>"])
        self.assertIn("yes 87.5 %, read 1 of 37 words (50 % skimmed), 2.0x less work", "".join(root.itertext()))
        self.assertLessEqual(max(len(line) for line in picture.lines), picture.COLUMNS)


class Passage(unittest.TestCase):
    PASSAGE = {"name": "mill", "title": "The mill", "question": "What turned?"}

    def test_every_threshold_shows_every_word_with_one_bar_per_pass(self):
        text = "The mill <& its wheel> turned"
        readings = [(0.0, reading(text, range(6), 2)), (1.0, reading(text, (), 2))]
        root = xml.fromstring(draw_passage(self.PASSAGE, "Span", readings))
        bars = [one.get("class") for one in root.iter(f"{SVG}rect")][1:]
        self.assertEqual(bars, ["read"] * 12 + ["skimmed"] * 12)
        self.assertIn("threshold 1: 50 % skimmed", "".join(root.itertext()))

    def test_passes_over_the_question_have_no_bars(self):
        found = reading("one two", {0})
        found["passes"].append({"reader": "question", "over": "question", "hidden_size": 100, "steps": []})
        root = xml.fromstring(draw_passage(self.PASSAGE, "Span", [(0.5, found)]))
        self.assertEqual(len(list(root.iter(f"{SVG}rect"))), 1 + 2)
