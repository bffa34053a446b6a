"""Models whose files change while the server runs, and SIGHUP."""
import json
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import threading
import time
import urllib.request

import support
from support import Server, ServerTest, receive_response, request_bytes


def answers(server, model=None):
    """The scores of all texts."""
    choice = {"model": model} if model else {}
    response = server.batch(texts=support.TEXTS, **choice)
    assert response.status == 200, response.body
    return [answer["scores"] for answer in response.json["answers"]]


def checksum(file):
    return json.loads(support.skim("info", "--json", file).out)["checksum"]


def served_checksums(server):
    return [model["checksum"] for model in server.request("GET", "/v1/models").json["models"]]


def overwrite(file, data):
    """Overwrites a file in place, like cp."""
    with open(file, "r+b") as out:
        out.truncate(len(data))
        out.write(data)


def damage(file):
    """Changes the last byte in place: a weight that no longer matches its checksum."""
    data = pathlib.Path(file).read_bytes()
    overwrite(file, data[:-1] + bytes([data[-1] ^ 1]))


class ReloadTest(ServerTest):
    def setUp(self):
        self.live = support.path("live.skim")
        self.second = support.path("second.skim")
        shutil.copy(support.MODEL, self.live)
        shutil.copy(support.MODEL, self.second)
        self.other = support.path("other.skim")

    def results(self, server, model):
        """The reload counters of a model that are not zero."""
        names = ("reloaded", "unchanged", "failed", "kept")
        text = server.request("GET", "/metrics").body.decode()
        counts = {name: text.split(f'skim_model_reloads_total{{model="{model}",result="{name}"}} ')[1].split("\n")[0]
                  for name in names}
        return {name: int(count) for name, count in counts.items() if count != "0"}


class Overwriting(ReloadTest):
    def test_overwriting_a_served_model_in_place_changes_no_answer(self):
        """The file was mapped: a shorter one killed the server with SIGBUS, one of the same size changed answers."""
        with Server(models=[support.MODEL]) as server:
            expected = answers(server)
        size = os.path.getsize(self.live)
        for data in (pathlib.Path(self.other).read_bytes(), bytes(size), b"short", b""):
            shutil.copy(support.MODEL, self.live)
            with Server(models=[self.live]) as server:
                overwrite(self.live, data)
                self.assertEqual(answers(server), expected)

    def test_a_file_that_does_not_match_its_checksum_is_not_served(self):
        damage(self.live)
        done = support.skim("serve", "--port", 0, "--model", self.live)
        self.assertEqual(done.returncode, 1)
        self.assertIn("do not match their checksum", done.err)


class Reloading(ReloadTest):
    def test_sighup_serves_the_new_file(self):
        with Server(models=[self.other]) as server:
            expected = answers(server)
        with Server(models=[self.live]) as server:
            before = answers(server)
            self.assertNotEqual(before, expected)
            self.assertEqual(served_checksums(server), [checksum(support.MODEL)])
            shutil.copy(self.other, self.live)
            self.assertEqual(answers(server), before)
            server.reload()
            self.assertEqual(answers(server), expected)
            self.assertEqual(served_checksums(server), [checksum(self.other)])
            self.assertEqual(self.results(server, "live"), {"reloaded": 1})
        self.assertIn(f"skim serve: reload: live reloaded (checksum {checksum(self.other)})", server.lines)

    def test_a_refused_file_leaves_all_models_as_they_are(self):
        with Server(models=[self.live, self.second]) as server:
            before = served_checksums(server)
            shutil.copy(self.other, self.live)
            damage(self.second)
            server.reload()
            self.assertEqual(served_checksums(server), before)
            self.assertEqual(self.results(server, "live"), {"kept": 1})
            self.assertEqual(self.results(server, "second"), {"failed": 1})
            os.remove(self.second)
            server.reload()
            self.assertEqual(served_checksums(server), before)
            shutil.copy(support.MODEL, self.second)
            server.reload()
            self.assertEqual(served_checksums(server), [checksum(self.other), before[1]])
            self.assertEqual(self.results(server, "live"), {"kept": 2, "reloaded": 1})
            self.assertEqual(self.results(server, "second"), {"failed": 2, "unchanged": 1})
        log = [line for line in server.lines if line.startswith("skim serve: reload")]
        self.assertEqual(len(log), 3)
        for line, why in zip(log, ("do not match their checksum", "No such file")):
            self.assertIn("all models stay as they are: second: " + self.second, line)
            self.assertIn(why, line)

    def test_requests_during_reloads_get_answers_of_one_model_each(self):
        expected = []
        for model in (support.MODEL, self.other):
            with Server(models=[model]) as server:
                expected.append(answers(server))
        with Server("--access-log", "none", models=[self.live]) as server:
            stop, seen = threading.Event(), []

            def read_until_stopped():
                with server.connect() as connection, connection.makefile("rb") as stream:
                    while not stop.is_set():
                        connection.sendall(request_bytes("/v1/read/batch", {"texts": support.TEXTS}))
                        response = receive_response(stream)
                        seen.append((response.status, [answer["scores"] for answer in response.json["answers"]]))

            clients = [threading.Thread(target=read_until_stopped) for _ in range(3)]
            for client in clients:
                client.start()
            for i in range(10):
                shutil.copy(self.other if i % 2 == 0 else support.MODEL, self.live)
                server.reload()
            stop.set()
            for client in clients:
                client.join(support.TIMEOUT)
            self.assertEqual(self.results(server, "live"), {"reloaded": 10})
        self.assertGreater(len(seen), 0)
        for status, scores in seen:
            self.assertEqual(status, 200)
            self.assertIn(scores, expected)

    def test_replaced_models_are_released(self):
        large = [support.path("large1.skim"), support.path("large2.skim")]
        for seed, file in enumerate(large):
            support.make_model("--model", file, "--vocab-size", "60000", "--seed", seed)  # 25 MB
        shutil.copy(large[0], self.live)
        with Server(models=[self.live]) as server:
            before = server.resident_bytes()
            for i in range(8):
                shutil.copy(large[(i + 1) % 2], self.live)
                server.reload()
                answers(server)
            self.assertEqual(self.results(server, "live"), {"reloaded": 8})
            # Eight models would take 200 MB. The address sanitizer delays frees.
            if not support.SANITIZED:
                self.assertLess(server.resident_bytes() - before, 60_000_000)

    def test_sighup_before_the_first_request_and_a_stop_after_it(self):
        with Server(models=[self.live]) as server:
            for _ in range(5):
                server.process.send_signal(signal.SIGHUP)
            self.assertEqual(server.read(text="good").status, 200)

    def test_a_reload_does_not_block_when_nobody_reads_standard_error(self):
        receiver, sender = os.pipe()
        process = subprocess.Popen([support.SKIM, "serve", "--port", "0", "--model", self.live, "--access-log", "none"],
                                   stderr=sender)
        address = os.read(receiver, 1000).decode().split()[-1]
        os.set_blocking(sender, False)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(sender, bytes(4096))
        os.set_blocking(sender, True)
        process.send_signal(signal.SIGHUP)
        end = time.monotonic() + support.TIMEOUT
        while b'result="unchanged"} 1' not in urllib.request.urlopen(address + "/metrics").read():
            self.assertLess(time.monotonic(), end)
        process.terminate()
        self.assertEqual(process.wait(support.TIMEOUT), 0)
        os.close(receiver)
        os.close(sender)

    def test_closing_the_terminal_stops_the_server(self):
        leader, terminal = pty.openpty()
        process = subprocess.Popen([support.SKIM, "serve", "--port", "0", "--model", self.live, "--access-log", "none"],
                                   stdin=terminal, stderr=subprocess.PIPE, start_new_session=True,
                                   preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))
        os.close(terminal)
        self.assertIn(b"listening on", process.stderr.readline())
        os.close(leader)
        self.assertEqual(process.wait(support.TIMEOUT), 0)
        process.stderr.close()
