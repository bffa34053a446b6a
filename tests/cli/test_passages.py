"""tools/draw_passages: pictures of how a model reads passages."""
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml

import support
from support import SkimTest, path

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "draw_passages"


def draw(*arguments):
    return subprocess.run([sys.executable, str(TOOL), "--skim", support.SKIM, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=support.TIMEOUT, text=True)


class DrawPassages(SkimTest):
    def setUp(self):
        passage = {"name": "mill", "title": "The mill", "text": "The mill <& its wheel> turned by the brook all day.",
                   "question": "What turned?"}
        pathlib.Path(path("passages.json")).write_text(json.dumps([passage]), encoding="utf-8")
        self.words = len(self.json("read", "--model", path("span.skim"), "--question", passage["question"], "--json",
                                   text=passage["text"])["words"])

    def test_draws_every_word_and_pass_at_every_threshold(self):
        done = draw("--model", "Span=" + path("span.skim"), "--passages", path("passages.json"), "--thresholds", "0,1",
                    "--out", path("drawn"))
        self.assertEqual(done.returncode, 0, done.stderr)
        picture = xml.parse(path("drawn/passage-mill-1.svg")).getroot()
        bars = [one.get("class") for one in picture.iter("{http://www.w3.org/2000/svg}rect")][1:]
        passes = len(bars) // (2 * self.words)
        self.assertEqual(len(bars), 2 * self.words * passes)
        self.assertGreaterEqual(passes, 1)
        half = len(bars) // 2
        self.assertEqual(set(bars[:half]), {"read"})      # at threshold 0 everything is read
        self.assertEqual(set(bars[half:]), {"skimmed"})   # and at 1 nothing
        said = "".join(picture.itertext())
        self.assertIn("threshold 1: 100 % skimmed", said)

    def test_reports_a_model_without_questions(self):
        done = draw("--model", "Planted=" + support.MODEL, "--passages", path("passages.json"), "--out", path("none"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not answer", done.stderr)
        self.assertNotIn("Traceback", done.stderr)
