"""Drawings of charts; skipped without matplotlib."""
import importlib.util
import unittest
import xml.etree.ElementTree as xml

from skimlab.charts import Axis, Chart
from skimlab.drawing import draw


def chart():
    made = Chart("f", "it's <a> title", Axis("x", "", True), Axis("y", "%"))
    made.add("one & two", [(1, 0.5), (2, 0.75)])
    made.add("three", [(1, 0.6)], "none")
    return made


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs python3-matplotlib")
class Drawing(unittest.TestCase):
    def test_is_sound_svg_with_names_as_text(self):
        text = "".join(xml.fromstring(draw(chart())).itertext())
        for part in ("it's <a> title", "one & two", "three", "y (%)"):
            self.assertIn(part, text)

    def test_the_same_chart_gives_the_same_bytes(self):
        self.assertEqual(draw(chart()), draw(chart()))

    def test_follows_light_and_dark(self):
        self.assertIn("prefers-color-scheme: dark", draw(chart()))

    def test_never_draws_what_is_not_a_number(self):
        for points in ([], [(1, 1)], [(1, 1), (1, 1)]):
            made = Chart("f", "t", Axis("x", "x", True), Axis("y"))
            made.add("one", points)
            with self.subTest(points):
                self.assertNotIn("nan", draw(made).lower())
