"""skim read: one text in, the answer and what was read out."""
import html.parser
import json
import os
import pty
import subprocess

import support
from support import SkimTest


def model(name="planted.skim"):
    return ["--model", support.path(name)]


TEXT = "The film was  wonderful,\n\tand the plot was not bad."


class Read(SkimTest):
    def test_text_from_argument_standard_input_or_file(self):
        name = support.path("text.txt")
        open(name, "w").write(TEXT)
        quiet = ["read", "--quiet", *model()]
        answers = {self.ok(*quiet, TEXT), self.ok(*quiet, text=TEXT), self.ok(*quiet, "-", text=TEXT),
                   self.ok(*quiet, "--file", name)}
        self.assertEqual(len(answers), 1)
        self.assertIn(answers.pop().strip(), ("positive", "negative"))

    def test_arguments_are_joined(self):
        both = [self.json("read", "--json", *model(), *words) for words in (["a good film"], ["a", "good", "film"])]
        self.assertEqual(both[0]["words"], both[1]["words"])

    def test_double_dash_ends_the_options(self):
        self.assertIn("--threshold is bad", self.ok("read", *model(), "--threshold", "1", "--", "--threshold is bad"))

    def test_output_keeps_the_text_and_marks_read_words(self):
        out = self.ok("read", *model(), "--threshold", "0", text=TEXT)
        self.assertTrue(out.startswith("[" + TEXT + "]"), out)
        out = self.ok("read", *model(), "--threshold", "1", text=TEXT)
        self.assertTrue(out.startswith(TEXT + "\n"), out)
        self.assertNotIn("\x1b", out)

    def test_summary_line_comes_last(self):
        last = self.ok("read", *model(), TEXT).splitlines()[-1]
        self.assertRegex(last, r"^\w+ \d+\.\d%, read \d+ of \d+ words \(\d+\.\d% skimmed\), .*, \S+ us warm, \S+ us first$")

    def test_empty_text_gets_an_answer(self):
        out = self.json("read", "--json", *model(), text="")
        self.assertEqual((out["words"], out["skim_rate"]), ([], 0))
        self.assertRegex(self.ok("read", *model(), text=""), r"^\w+ \d")

    def test_missing_file_is_reported(self):
        self.fails("read", *model(), "--file", "/no/such.txt", says="/no/such.txt")

    def test_a_text_over_the_limit_is_reported(self):
        name = support.path("long.txt")
        open(name, "w").write("x" * ((4 << 20) + 1))
        self.fails("read", *model(), "--file", name, says=[name, "longer than 4194304 bytes"])
        self.fails("read", *model(), text="x" * ((4 << 20) + 1), says="longer than 4194304 bytes")

    def test_text_and_file_are_exclusive(self):
        self.fails("read", *model(), "--file", "x.txt", "text", code=2, says="cannot be given together")


class Json(SkimTest):
    def test_json_has_the_documented_fields(self):
        out = self.json("read", "--json", *model(), TEXT)
        self.assertFields(out, ["answer", "scores", "words", "passes", "skim_rate", "flop_reduction", "threshold",
                                "microseconds"])
        self.assertFields(out["answer"], ["text", "index", "score"])
        self.assertFlops(out["flop_reduction"])
        self.assertEqual([set(score) for score in out["scores"]], [{"label", "score"}] * 2)
        self.assertEqual(out["scores"][out["answer"]["index"]]["label"], out["answer"]["text"])
        self.assertAlmostEqual(sum(score["score"] for score in out["scores"]), 1, places=4)
        self.assertEqual(out["threshold"], 0.5)
        self.assertGreater(out["microseconds"], 0)
        self.assertGreater(out["warm_microseconds"], 0)

    def test_offsets_are_byte_offsets(self):
        text = "caf\u00e9 \u4e2d\u6587 good"
        data = text.encode()
        out = self.json("read", "--json", *model(), text=text)
        self.assertFields(out["words"][0], ["text", "begin", "end", "width", "p_read"])
        for word in out["words"]:
            self.assertEqual(data[word["begin"]:word["end"]].decode(), word["text"])

    def test_words_are_those_of_the_first_pass(self):
        out = self.json("read", "--json", *model("both.skim"), TEXT)
        self.assertEqual([p["reader"] for p in out["passes"]],
                         ["0.forward", "0.backward", "1.forward", "1.backward"])
        self.assertEqual([w["width"] for w in out["words"]], [s["width"] for s in out["passes"][0]["steps"]])

    def test_invalid_utf8_gives_valid_json(self):
        out = self.json("read", "--json", *model(), text=b"good \xff\xfe\x00 film \xc3")
        self.assertGreater(len(out["words"]), 1)

    def test_skim_rate_is_the_share_of_skimmed_steps(self):
        out = self.json("read", "--json", *model("both.skim"), TEXT)
        steps = [(step["width"], one["hidden_size"]) for one in out["passes"] for step in one["steps"]]
        self.assertAlmostEqual(out["skim_rate"], sum(w < d for w, d in steps) / len(steps), places=4)


class Policies(SkimTest):
    def widths(self, *arguments):
        return [w["width"] for w in self.json("read", "--json", *model(), *arguments, TEXT)["words"]]

    def test_threshold_0_reads_all_and_1_skims_all(self):
        self.assertEqual(set(self.widths("--threshold", "0")), {100})
        self.assertEqual(set(self.widths("--threshold", "1")), {10})

    def test_argmax_equals_threshold_05(self):
        self.assertEqual(self.widths("--argmax"), self.widths("--threshold", "0.5"))

    def test_sampling_is_reproducible(self):
        draws = [self.widths("--sample", "--seed", seed) for seed in (3, 3)]
        self.assertEqual(draws[0], draws[1])

    def test_other_policies_report_no_threshold(self):
        self.assertIsNone(self.json("read", "--json", *model(), "--argmax", TEXT)["threshold"])

    def test_a_budget_needs_calibration(self):
        self.fails("read", *model("dense.skim"), "--budget", "0.5", TEXT, says="dense.skim")


class Terminal(SkimTest):
    def on_terminal(self, *arguments, **environment):
        """What skim writes when its output is a terminal."""
        master, slave = pty.openpty()
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | environment
        done = subprocess.Popen([support.SKIM, *arguments], stdin=subprocess.DEVNULL, stdout=slave, env=env)
        os.close(slave)
        written = b""
        while True:
            try:
                chunk = os.read(master, 4096)
            except OSError:  # how Linux reports the end of a terminal
                break
            if not chunk:
                break
            written += chunk
        os.close(master)
        self.assertEqual(done.wait(support.TIMEOUT), 0)
        return written.decode()

    def test_colour_only_on_a_terminal(self):
        self.assertIn("\x1b[1m", self.on_terminal("read", *model(), "--threshold", "0", TEXT))
        self.assertIn("\x1b[2m", self.on_terminal("read", *model(), "--threshold", "1", TEXT))
        self.assertNotIn("\x1b", self.ok("read", *model(), TEXT))

    def test_colour_can_be_disabled_and_forced(self):
        self.assertNotIn("\x1b", self.on_terminal("read", *model(), TEXT, NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_terminal("read", *model(), TEXT, TERM="dumb"))
        self.assertNotIn("\x1b", self.on_terminal("read", *model(), "--color", "never", TEXT))
        self.assertIn("\x1b", self.ok("read", *model(), "--color", "always", TEXT))

    def test_text_cannot_send_terminal_escapes(self):
        out = self.ok("read", *model(), "--color", "never", text="good\x1b]0;title\x07 film\x9b31m")
        self.assertNotIn("\x1b", out)
        self.assertNotIn("\x07", out)


class HtmlCheck(html.parser.HTMLParser):
    """Checks that every element is closed; collects tags, scripts and links."""
    VOID = {"meta", "input", "br", "link"}

    def __init__(self, text):
        super().__init__()
        self.open, self.faults, self.tags, self.links, self.policy = [], [], set(), [], ""
        self.scripts = []  # (attributes, code)
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.add(tag)
        self.links += [attributes[name] for name in ("src", "href", "action") if name in attributes]
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag == "script":
            self.scripts.append((attributes, ""))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            attributes, code = self.scripts[-1]
            self.scripts[-1] = (attributes, code + data)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


class Page(SkimTest):
    def page(self, *arguments, **more):
        name = support.path("page.html")
        self.ok("read", "--html", name, *arguments, **more)
        return open(name, encoding="utf-8").read()

    def data(self, page):
        """Checks that the page is valid and self-contained; returns its data."""
        check = HtmlCheck(page)
        self.assertEqual((check.open, check.faults), ([], []))
        self.assertTrue(check.policy.startswith("default-src 'none'; "), check.policy)
        self.assertEqual([link for link in check.links if not link.startswith(("#", "data:"))], [])
        (kind, data), (module, code) = check.scripts
        self.assertEqual((kind["type"], module), ("application/json", {"type": "module"}))
        self.assertNotRegex(code, r"(?m)^(import|export)\b|\bimport\(|\bfetch\(")
        self.assertFalse(check.tags & {"textarea", "select", "form", "img", "iframe"})
        self.assertIn('<html lang="en">', page)
        return json.loads(data)

    def test_page_holds_the_reading_and_the_model(self):
        data = self.data(self.page(*model(), TEXT))
        expected = self.json("read", "--json", *model(), TEXT)
        times = ("microseconds", "warm_microseconds")
        self.assertEqual(data["reading"], expected | {time: data["reading"][time] for time in times})
        self.assertEqual(data["query"], {"text": TEXT, "question": ""})
        self.assertEqual(data["model"]["name"], "planted")
        self.assertEqual((data["model"]["net"], data["model"]["spec"]["reader"]["hidden_size"]), ("classifier", 100))
        self.assertEqual("skim " + data["version"], self.ok("--version").strip())

    def test_page_holds_every_pass(self):
        data = self.data(self.page(*model("both.skim"), TEXT))
        self.assertEqual([each["reader"] for each in data["reading"]["passes"]],
                         ["0.forward", "0.backward", "1.forward", "1.backward"])

    def test_page_holds_the_question_and_the_span_of_the_answer(self):
        data = self.data(self.page(*model("span.skim"), "--question", "Who <ran>?", "Tobin ran to the bakery."))
        self.assertEqual(data["query"]["question"], "Who <ran>?")
        answer = data["reading"]["answer"]
        self.assertEqual(data["query"]["text"][answer["begin"]:answer["end"]], answer["text"])

    def test_page_holds_the_policy(self):
        self.assertEqual(self.data(self.page(*model(), "--argmax", TEXT))["policy"]["rule"], "argmax")
        self.assertEqual(self.data(self.page(*model(), "--sample", "--seed", "7", TEXT))["policy"],
                         {"rule": "sample", "seed": "7"})

    def test_text_cannot_become_markup(self):
        text = '</script><script>alert("1")</script> <img src=x onerror=alert(1)> <!-- ]]> \x00\x1b[31m\x7f\u2028 &lt;'
        page = self.page(*model(), text=text)
        self.assertEqual(self.data(page)["query"]["text"], text)
        self.assertNotRegex(page, "[\\x00-\\x08\\x0b-\\x1f]")

    def test_page_of_empty_and_invalid_texts(self):
        self.assertEqual(self.data(self.page(*model(), text=""))["reading"]["words"], [])
        data = self.data(self.page(*model(), text=b"\xff\xfe good"))
        self.assertEqual(data["query"]["text"], "?? good")
        last = data["reading"]["words"][-1]
        self.assertEqual(data["query"]["text"][last["begin"]:last["end"]], "good")

    def test_unwritable_page_is_reported(self):
        self.fails("read", *model(), "--html", "/no/such/page.html", TEXT, says="/no/such/page.html")
