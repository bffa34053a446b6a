"""skim run: one text per input line, one answer per output line."""
import json
import os
import pty
import select
import subprocess
import time

import support
from support import SkimTest


def run(*arguments):
    return ["run", "--model", support.MODEL, *arguments]


def texts(count):
    """Texts of the planted task, without their labels."""
    lines = open(support.DATA, encoding="utf-8").read().splitlines()
    return [lines[i % len(lines)].split("\t", 1)[1] for i in range(count)]


class Run(SkimTest):
    def test_output_is_label_tab_score_in_order(self):
        lines = open(support.DATA, encoding="utf-8").read().splitlines()
        out = self.ok(*run(), text="\n".join(texts(len(lines))) + "\n").splitlines()
        self.assertEqual(len(out), len(lines))
        for answer, line in zip(out, lines):
            self.assertRegex(answer, r"^(positive|negative)\t[01]\.\d{4}$")
            self.assertEqual(answer.split("\t")[0], line.split("\t")[0])

    def test_answers_do_not_depend_on_threads(self):
        given = "\n".join(texts(3000))
        outs = {self.ok(*run("--threads", n), text=given) for n in (1, 2, 5)}
        self.assertEqual(len(outs), 1)

    def test_file_equals_standard_input(self):
        name = support.path("lines.txt")
        open(name, "w").write("good\nbad\n")
        self.assertEqual(self.ok(*run(name)), self.ok(*run("-"), text="good\nbad\n"))

    def test_final_newline_is_optional(self):
        self.assertEqual(self.ok(*run(), text="good\nbad"), self.ok(*run(), text="good\nbad\n"))

    def test_ignores_carriage_returns_and_byte_order_mark(self):
        self.assertEqual(self.ok(*run(), text="\ufeffgood\r\nbad\r\n"), self.ok(*run(), text="good\nbad\n"))

    def test_empty_line_is_a_text(self):
        self.assertEqual(len(self.ok(*run(), text="good\n\n\nbad\n").splitlines()), 4)

    def test_empty_input_gives_no_answers(self):
        self.assertEqual(self.ok(*run(), text=""), "")

    def test_accepts_invalid_utf8(self):
        self.assertEqual(len(self.ok(*run(), text=b"\xff\xfe\n\x00\x00\ngood\n").splitlines()), 3)

    def test_accepts_long_lines(self):
        self.assertEqual(len(self.ok(*run(), text="good film " * 300000 + "\nbad\n").splitlines()), 2)

    def test_a_line_over_the_limit_is_reported_after_the_previous_answers(self):
        limit = 4 << 20
        self.assertEqual(len(self.ok(*run(), text="x" * limit + "\r\nbad\n").splitlines()), 2)
        done = support.skim(*run(), text="good\n" + "x" * (limit + 1) + "\nbad\n")
        self.assertEqual((done.returncode, len(done.out.splitlines())), (1, 1))
        self.assertIn(f"line 2 is longer than {limit} bytes", done.err)

    def test_an_endless_line_is_not_collected(self):
        """A line of 100 MB took 3.4 GB."""
        with subprocess.Popen([support.SKIM, *run()], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            written = 0
            try:
                for _ in range(1024):
                    written += process.stdin.write(b"a film " * (1 << 13))
            except BrokenPipeError:
                pass
            self.assertLess(written, 8 << 20)
            self.assertIn(b"line 1 is longer", process.stderr.read())
            process.stdin = None  # Its buffer cannot be flushed any more.
        self.assertEqual(process.returncode, 1)

    def test_quiet_changes_no_answer(self):
        self.assertEqual(self.ok(*run("--quiet"), text="good\nbad\n"), self.ok(*run(), text="good\nbad\n"))

    def test_a_note_on_a_terminal_can_be_omitted(self):
        for options, notes in (([], 1), (["--quiet"], 0)):
            master, slave = pty.openpty()
            with subprocess.Popen([support.SKIM, *run(*options)], stdin=slave, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                os.close(slave)
                os.write(master, b"good\n\x04")
                out, err = process.communicate(timeout=support.TIMEOUT)
            os.close(master)
            self.assertEqual((process.returncode, out.count(b"\n"), err.count(b"Ctrl-D")), (0, 1, notes), err)

    def test_answers_equal_skim_read(self):
        one = json.loads(self.ok(*run("--json", "--words"), text=texts(1)[0]))
        other = self.json("read", "--json", "--model", support.MODEL, text=texts(1)[0])
        del one["microseconds"], other["microseconds"], other["warm_microseconds"]
        self.assertEqual(one, other)

    def test_missing_file_is_reported(self):
        self.fails(*run("/no/such.txt"), says="/no/such.txt")

    def test_rejects_a_directory(self):
        self.fails(*run(support.FOLDER), says=str(support.FOLDER))


class JsonLines(SkimTest):
    def test_detected_by_the_first_line(self):
        plain = self.ok(*run(), text="good film\nbad film\n")
        self.assertEqual(plain, self.ok(*run(), text='{"text": "good film"}\n\n{"text": "bad film", "more": 1}\n'))

    def test_malformed_json_is_an_error(self):
        self.assertEqual(len(self.ok(*run(), text='{good}\nbad\n').splitlines()), 2)
        self.fails(*run(), text='{"label": 1}\nbad\n', says="line 1: text")
        self.fails(*run(), text='{"text": "a wonderful film",}\n{"text": "a dull mess"}\n', says="line 1")
        self.assertEqual(len(self.ok(*run(), text='\n \n{"text": "a"}\n').splitlines()), 1)

    def test_input_format_can_be_forced(self):
        self.assertEqual(len(self.ok(*run("--input", "text"), text='{"text": "a"}\nnot json\n').splitlines()), 2)
        self.fails(*run("--input", "json"), text="plain\n", says="line 1")

    def test_output_is_one_object_per_line(self):
        lines = self.ok(*run("--json"), text="good film\nbad film\n").splitlines()
        self.assertEqual(len(lines), 2)
        for line in lines:
            answer = json.loads(line)
            self.assertFields(answer, ["answer", "scores", "skim_rate", "flop_reduction", "threshold", "microseconds"])
            self.assertNotIn("words", answer)
            self.assertNotIn("passes", answer)

    def test_words_are_optional(self):
        answer = json.loads(self.ok(*run("--json", "--words"), text="good film"))
        self.assertEqual([word["text"] for word in answer["words"]], ["good", "film"])

    def test_id_is_echoed(self):
        out = self.ok(*run("--json"), text='{"text": "a", "id": "x1"}\n{"text": "b", "id": 7}\n{"text": "c"}\n')
        self.assertEqual([json.loads(line).get("id") for line in out.splitlines()], ["x1", 7, None])

    def test_malformed_line_is_reported_after_the_previous_answers(self):
        for bad in ('{"text": ', '{"txt": "a"}', '["text"]', '{"text": 1}'):
            done = support.skim(*run(), text='{"text": "good"}\n{"text": "bad"}\n' + bad + '\n{"text": "c"}\n')
            self.assertEqual(done.returncode, 1)
            self.assertEqual(len(done.out.splitlines()), 2)
            self.assertIn("line 3", done.err)


class Streaming(SkimTest):
    def start(self, *arguments, **more):
        return subprocess.Popen([support.SKIM, *run(*arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def receive(self, process, lines):
        """Waits for so many lines without closing the input."""
        got, end = b"", time.monotonic() + support.TIMEOUT
        while got.count(b"\n") < lines:
            ready, _, _ = select.select([process.stdout], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"only {got!r} came")
            got += os.read(process.stdout.fileno(), 65536)
        return got

    def test_answers_all_complete_lines_when_the_input_pauses(self):
        with self.start() as process:
            for count in (1, 3, 2000):
                process.stdin.write(("\n".join(texts(count)) + "\n").encode())
                process.stdin.flush()
                self.assertEqual(self.receive(process, count).count(b"\n"), count)
            process.stdin.close()
            self.assertEqual(process.wait(support.TIMEOUT), 0)

    def test_answers_every_line_of_a_slow_producer_at_once_also_after_a_burst(self):
        given = texts(1500)
        expected = self.ok(*run(), text="\n".join(given) + "\n").encode().splitlines(keepends=True)
        with self.start() as process:
            process.stdin.write(("\n".join(given[:1400]) + "\n").encode())
            process.stdin.flush()
            self.assertEqual(self.receive(process, 1400), b"".join(expected[:1400]))
            for line, answer in zip(given[1400:], expected[1400:]):
                process.stdin.write(line.encode() + b"\n")
                process.stdin.flush()
                self.assertEqual(self.receive(process, 1), answer)
            process.stdin.close()
            self.assertEqual(process.wait(support.TIMEOUT), 0)

    def test_waits_for_the_rest_of_a_line(self):
        with self.start("--json", "--words") as process:
            process.stdin.write(b"good\nba")
            process.stdin.flush()
            self.receive(process, 1)
            process.stdin.write(b"d\n")
            process.stdin.flush()
            self.assertEqual(json.loads(self.receive(process, 1))["words"][0]["text"], "bad")
            process.stdin.close()
            self.assertEqual(process.wait(support.TIMEOUT), 0)

    def test_exits_silently_when_the_output_is_closed(self):
        with self.start() as process:
            process.stdin.write(b"good\n")
            process.stdin.flush()
            self.receive(process, 1)
            process.stdout.close()
            try:
                for _ in range(1000):
                    process.stdin.write(("\n".join(texts(100)) + "\n").encode())
                process.stdin.close()
            except BrokenPipeError:
                pass
            self.assertEqual(process.wait(support.TIMEOUT), 1)
            self.assertEqual(process.stderr.read(), b"")

    def test_full_disk_is_an_error(self):
        for arguments in (run(), ["read", "--model", support.MODEL], ["info", support.MODEL], ["help"], ["--version"],
                          ["eval", support.DATA, "--model", support.MODEL, "--no-speed"]):
            with open("/dev/full", "w") as full:
                done = support.skim(*arguments, text="good\n", stdout=full)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("cannot write", done.err)
