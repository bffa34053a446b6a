"""Models and readings."""
import html.parser
import pickle
import random
import threading
import time
import unittest

import numpy as np
import skim
import support


class Models(unittest.TestCase):
    def test_load_without_a_path_loads_the_built_in_model(self):
        model = skim.Model.load()
        self.assertEqual(model.labels, tuple(model.spec["labels"]))
        self.assertTrue(model.name.endswith("default.skim"))
        self.assertIn("classifier", repr(model))

    def test_from_bytes_equals_load(self):
        data = support.model_path("planted").read_bytes()
        text = support.texts()[0]
        for form in (data, bytearray(data), memoryview(data)):
            model = skim.Model.from_bytes(form, "mine")
            self.assertEqual(model.read(text), support.model("planted").read(text))
            self.assertEqual(model.name, "mine")

    def test_spec_is_a_copy(self):
        model = support.model("planted")
        model.spec["reader"]["hidden_size"] = 7
        self.assertEqual(model.spec["reader"]["hidden_size"], 100)

    def test_a_smaller_budget_gives_a_higher_threshold(self):
        model = support.model("default")
        self.assertLess(model.threshold_for(0.8), model.threshold_for(0.2))
        self.assertEqual(model.read("so so", budget=0.2).threshold, model.threshold_for(0.2))
        self.assertEqual(model.read("so so", threshold=0.9).threshold, 0.9)
        self.assertEqual(model.calibration[0][0], 0)

    def test_the_dense_model_reads_every_word(self):
        reading = support.model("default").dense().read(support.texts()[0])
        self.assertEqual(reading.skim_rate, 0)
        self.assertTrue(all(word.read for word in reading.words))

    def test_table_bytes_do_not_change_results(self):
        text = support.texts()[0]
        self.assertEqual(skim.Model.load(table_bytes=0).read(text).to_dict()["words"],
                         support.model("default").read(text).to_dict()["words"])


class Readings(unittest.TestCase):
    TEXT = "Die Brücke 🙂 is  wonderful — naïve, 日本"

    def test_label_and_scores_are_consistent(self):
        reading = support.model("default").read("A wonderful film.")
        self.assertEqual(max(reading.scores, key=reading.scores.get), reading.label)
        self.assertEqual(reading.scores[reading.label], reading.score)
        self.assertEqual(reading.score, float(np.float32(reading.score)))
        self.assertAlmostEqual(sum(reading.scores.values()), 1, places=5)

    def test_word_offsets_in_characters_and_bytes(self):
        for text in [self.TEXT, *support.texts()[:20], ""]:
            for word in support.model("default").read(text).words:
                self.assertEqual(text[word.begin:word.end], word.text)
                self.assertEqual(text.encode()[word.begin_byte:word.end_byte].decode(), word.text)

    def test_unicode_model_splits_any_language(self):
        for text, words in (("Übergroße Straße, z.B. geht's", "Übergroße|Straße|,|z.B.|geht's"),
                            ("İstanbul’da ılık", "İstanbul’da|ılık"), ("مرحبا، كيف؟", "مرحبا|،|كيف|؟"),
                            ("फ़िल्म अच्छी है।", "फ़िल्म|अच्छी|है|।"), ("ดีที่กำ", "ดี|ที่|กำ"), ("我喜欢3首。", "我|喜|欢|3|首|。"),
                            ("カメラは", "カ|メ|ラ|は"), ("한국어 영화!", "한국어|영화|!"),
                            ("so👍🏽👨‍👩‍👧🇩🇪 @a_b #x https://t.co/y", "so|👍🏽|👨‍👩‍👧|🇩🇪|@a_b|#|x|https://t.co/y")):
            read = support.model("unicode").read(text).words
            self.assertEqual([word.text for word in read], words.split("|"))
            for word in read:
                self.assertEqual(text[word.begin:word.end], word.text)
                self.assertEqual(text.encode()[word.begin_byte:word.end_byte].decode(), word.text)

    def test_words_cover_random_unicode_text(self):
        rng = random.Random(3)
        ranges = [(32, 127), (0xA0, 0x250), (0x3040, 0x30A0), (0x1F600, 0x1F650), (0, 32)]
        for _ in range(200):
            text = "".join(chr(rng.randrange(*rng.choice(ranges))) for _ in range(30))
            for model in (support.model("planted"), support.model("unicode")):
                words = model.read(text).words
                covered = "".join(word.text for word in words)
                for word in words:
                    self.assertEqual(text[word.begin:word.end], word.text)
                self.assertEqual([c for c in covered if c.isalnum()], [c for c in text if c.isalnum()])

    def test_the_threshold_ranges_from_reading_all_words_to_none(self):
        model, text = support.model("default"), support.texts()[0]
        self.assertTrue(all(word.read for word in model.read(text, threshold=0).words))
        self.assertFalse(any(word.read for word in model.read(text, threshold=1).words))
        self.assertEqual(model.read(text, threshold=1).skim_rate, 1)
        self.assertGreater(model.read(text, threshold=1).flop_reduction["counted"], 1)

    def test_words_have_the_decisions_of_the_first_pass(self):
        reading = support.model("both").read(support.texts()[0])
        self.assertEqual([one.reader for one in reading.passes], ["0.forward", "0.backward", "1.forward", "1.backward"])
        self.assertEqual([word.width for word in reading.words], reading.passes[0].widths.tolist())
        self.assertEqual(reading.passes[0].widths.dtype, np.uint16)
        self.assertEqual(reading.passes[0].p_read.dtype, np.float32)

    def test_an_extractive_answer_is_a_span_of_the_text(self):
        reading = support.model("span").read(self.TEXT, question="What?")
        answer = reading.answer
        self.assertEqual(self.TEXT[answer.begin:answer.end], answer.text)
        self.assertEqual(self.TEXT.encode()[answer.begin_byte:answer.end_byte].decode(), answer.text)
        self.assertEqual((answer.index, reading.label, reading.scores), (-1, answer.text, {}))
        self.assertEqual([word.text for word in reading.question_words], ["What", "?"])

    def test_choices_have_scores(self):
        reading = support.model("cloze").read("One. Two.", question="Who?", choices=["One", "Two"])
        self.assertEqual(list(reading.scores), ["One", "Two"])
        self.assertEqual(reading.answer.text, ["One", "Two"][reading.answer.index])

    def test_an_empty_text_has_an_answer_and_no_words(self):
        reading = support.model("default").read("")
        self.assertEqual((reading.words, reading.skim_rate), ((), 0))
        self.assertIn(reading.label, support.model("default").labels)

    def test_readings_are_immutable(self):
        reading = support.model("default").read("a fine film")
        for change in (lambda: setattr(reading, "label", "x"), lambda: setattr(reading, "_raw", ()),
                       lambda: delattr(reading, "_words"), lambda: setattr(reading.words[0], "width", 3)):
            self.assertRaises(AttributeError, change)
        for same in (reading, pickle.loads(pickle.dumps(reading))):
            with self.assertRaises(ValueError):
                same.passes[0].widths[0] = 1

    def test_equality_hash_and_pickle(self):
        model = support.model("default")
        reading = model.read(self.TEXT)
        self.assertEqual(reading, model.read(self.TEXT))
        self.assertEqual(hash(reading), hash(model.read(self.TEXT)))
        self.assertEqual(pickle.loads(pickle.dumps(reading)), reading)
        self.assertNotEqual(reading, model.read(self.TEXT, threshold=0))
        self.assertNotEqual(reading, "reading")

    def test_repr(self):
        reading = support.model("default").read("a fine film")
        self.assertRegex(repr(reading), r"^<skim.Reading '\w+' 0\.\d{4}, read \d of 3 words>$")


class ParsedHtml(html.parser.HTMLParser):
    """The text, the unclosed tags and the highlighted words of HTML."""

    def __init__(self, page):
        super().__init__()
        self.text, self.open, self.read = "", [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.text += data
        if self.open and "background" in self.open[-1][1].get("style", ""):
            self.read.append(data)


class Notebook(unittest.TestCase):
    def test_read_words_are_highlighted(self):
        reading = support.model("default").read(support.texts()[1])
        shown = ParsedHtml(reading._repr_html_())
        self.assertEqual(shown.open, [])
        self.assertIn(reading.text, shown.text)
        self.assertEqual(shown.read, [word.text for word in reading.words if word.read])

    def test_text_is_escaped(self):
        text = "<script>alert(1)</script> & \"quotes\""
        for name, more in (("default", {}), ("both", {}), ("levels", {}), ("bidaf", {"question": "<b>?"}),
                           ("cloze", {"question": "<b>?", "choices": ["<i>", "x"]})):
            page = support.model(name).read(text, **more)._repr_html_()
            self.assertNotIn("<script", page)
            self.assertNotIn("<b>?", page)
            shown = ParsedHtml(page)
            self.assertEqual(shown.open, [])
            self.assertEqual(shown.text.count(text) > 0, True)

    def test_every_pass_is_shown(self):
        page = support.model("both").read("a fine film")._repr_html_()
        self.assertEqual(page.count("<details>"), 3)

    def test_long_texts_are_truncated(self):
        page = support.model("default").read("word " * 5000)._repr_html_()
        self.assertIn("and 2000 words more", page)


class ManyTexts(unittest.TestCase):
    def test_accepts_any_iterable_and_keeps_the_order(self):
        texts = (support.texts() * 1100)[:1100]  # more than one block
        expected = support.model("planted").read_many(texts, threads=1)
        self.assertEqual([reading.text for reading in expected], texts)
        for given in (tuple(texts), iter(texts), (text for text in texts), np.array(texts, dtype=object)):
            self.assertEqual(support.model("planted").read_many(given, threads=3), expected)

    def test_blocks_take_many_short_texts_and_fewer_long_ones(self):
        from skim._model import block_end
        self.assertEqual(block_end([(b"a film", b"", [])] * 3000, 100), 1124)
        self.assertEqual(block_end([(b"a" * 8192, b"", [])] * 3000, 100), 356)
        self.assertEqual(block_end([(b"a" * 2048, b"", [])] * 3000, 100), 612)
        self.assertEqual(block_end([(b"a film", b"", [])] * 3, 1), 3)

    def test_no_texts_give_no_readings(self):
        self.assertEqual(support.model("planted").read_many([]), [])

    def test_reading_releases_the_gil(self):
        """If reading held the GIL, this thread would block for at least as long as reading takes."""
        model, text = support.model("default"), " ".join(support.texts())
        for read in (lambda: model.read_many([text] * 8, threads=1), lambda: [model.read(text * 8)]):
            readings = []
            reader = threading.Thread(target=lambda: readings.extend(read()))
            reader.start()
            awake = [time.monotonic()]
            while reader.is_alive():
                time.sleep(0.001)
                awake.append(time.monotonic())
            longest = max(after - before for before, after in zip(awake, awake[1:]))
            self.assertLess(longest, sum(reading.microseconds for reading in readings) / 1e6)

    def test_a_model_is_thread_safe(self):
        model, texts = support.model("both"), support.texts()[:60]
        expected, wrong = model.read_many(texts), []

        def work(first):
            for i in range(len(texts)):
                at = (first + i) % len(texts)
                if model.read(texts[at]) != expected[at]:
                    wrong.append(at)

        threads = [threading.Thread(target=work, args=(7 * number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
