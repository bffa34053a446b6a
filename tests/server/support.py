"""Shared by the tests: models, a server to start and stop, and clients."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

SKIM = ""
MAKE_DATA = ""
SANITIZED = False
SOURCE = pathlib.Path(__file__).parent.parent.parent
FOLDER = pathlib.Path()
MODEL = ""
TEXTS = []

# Seconds. Generous: the machine may be busy, and sanitizers are slow.
TIMEOUT = 120


@contextlib.contextmanager
def prepared(skim, planted):
    """Creates a temporary folder with planted models and texts."""
    global SKIM, MAKE_DATA, SANITIZED, FOLDER, MODEL, TEXTS
    SKIM, MAKE_DATA = os.path.abspath(skim), os.path.abspath(planted)
    SANITIZED = b"__asan_init" in pathlib.Path(SKIM).read_bytes()
    with tempfile.TemporaryDirectory(prefix="skim-server-") as name:
        FOLDER = pathlib.Path(name)
        MODEL = path("planted.skim")
        small = ["--vocab-size", "2000"]
        make_model("--model", MODEL, "--data", path("planted.tsv"), "--examples", "60", *small)
        make_model("--model", path("both.skim"), "--bidirectional", "yes", "--num-layers", "2", *small)
        make_model("--model", path("other.skim"), "--seed", "2", *small)
        make_model("--model", path("multilabel.skim"), "--output", "sigmoid", *small)
        make_model("--model", path("number.skim"), "--output", "linear", *small)
        make_model("--questions", name)
        lines = (FOLDER / "planted.tsv").read_text(encoding="utf-8").splitlines()
        TEXTS = [line.split("\t", 1)[1] for line in lines]
        yield


def path(name):
    return str(FOLDER / name)


def make_model(*options):
    subprocess.run([MAKE_DATA, *map(str, options)], check=True)


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """A running `skim serve`. Leaving the block stops it and checks its exit code."""

    def __init__(self, *options, models=None, **process_options):
        model_options = [word for model in models or [MODEL] for word in ("--model", model)]
        self.process = subprocess.Popen([SKIM, "serve", "--port", "0", *model_options, *map(str, options)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        **process_options)
        self.lines = []
        self.stopping = False
        self.listening = threading.Event()
        self.reader = threading.Thread(target=self.collect, daemon=True)
        self.reader.start()
        if not self.listening.wait(TIMEOUT) or not self.lines[-1].startswith("listening on"):
            raise AssertionError(f"the server did not start: {self.lines}")
        self.port = int(self.lines[-1].rsplit(":", 1)[1])

    def collect(self):
        for line in self.process.stderr:
            self.lines.append(line.decode(errors="replace").rstrip("\n"))
            if self.lines[-1].startswith("listening on"):
                self.listening.set()
        self.listening.set()

    def __enter__(self):
        return self

    def __exit__(self, failed, *_):
        if not self.stopping:  # a second signal would end it at once
            self.signal(signal.SIGTERM)
        code = self.wait()
        if failed is None and code != 0:
            raise AssertionError(f"exit code {code}: {self.lines[-40:]}")

    def signal(self, number):
        self.stopping = True
        if self.process.poll() is None:
            self.process.send_signal(number)

    def reload(self):
        """Sends SIGHUP and waits until the models have been reloaded, or one of them was refused."""
        name = "skim_model_reloads_total"
        after = self.metric(name) + len(self.request("GET", "/v1/models").json["models"])
        self.process.send_signal(signal.SIGHUP)
        self.until(name, after)

    def wait(self):
        code = self.process.wait(TIMEOUT)
        self.reader.join(TIMEOUT)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT)

    def request(self, method, target, body=None, **headers):
        """Sends one request on a new connection. A body that is neither str nor bytes is sent as JSON."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        header_fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        if body is not None:
            header_fields.setdefault("Content-Type", "application/json")
        try:
            client.request(method, target, body, header_fields)
            response = client.getresponse()
            return Response(response.status, response.headers, response.read())
        finally:
            client.close()

    def read(self, **fields):
        return self.request("POST", "/v1/read", fields)

    def batch(self, **fields):
        return self.request("POST", "/v1/read/batch", fields)

    def metric(self, name):
        """The sum of a metric over its labels. The name may include the first labels: 'name{route="page"'."""
        text = self.request("GET", "/metrics").body.decode()
        labels = r"[^}]*\}" if "{" in name else r"(?:\{[^}]*\})?"
        values = re.findall(rf"^{re.escape(name)}{labels} (\S+)$", text, re.MULTILINE)
        return sum(map(float, values))

    def until(self, name, value):
        """Waits until a metric has this value."""
        end = time.monotonic() + TIMEOUT
        while self.metric(name) != value:
            if time.monotonic() > end:
                raise AssertionError(f"{name} did not reach {value}, it is {self.metric(name)}")
            time.sleep(0.01)

    def resident_bytes(self):
        """The resident set size."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024


def request_bytes(target="/v1/read", body=None, method="POST", headers=""):
    """A serialized request; the body is sent as JSON."""
    data = json.dumps(body).encode() if body is not None else b""
    content_type = "Content-Type: application/json\r\n" if body is not None else ""
    return (f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{content_type}Content-Length: {len(data)}\r\n{headers}\r\n"
            .encode() + data)


def receive_all(connection):
    """All bytes until the server closes the connection."""
    received = b""
    while True:
        try:
            data = connection.recv(1 << 16)
        except ConnectionResetError:
            return received
        if not data:
            return received
        received += data


def receive_response(stream, is_head=False):
    """One response from a socket file; None if the connection was closed before its first byte."""
    line = stream.readline()
    if not line:
        return None
    headers = http.client.parse_headers(stream)
    body = b"" if is_head else stream.read(int(headers.get("Content-Length", "0")))
    return Response(int(line.split()[1]), headers, body)


def slow_body(server, seconds):
    """The body of a batch that keeps a worker thread busy for about this time, on any machine."""
    text = " ".join(TEXTS)
    while len(text) < 100_000:
        text += " " + text
    begin = time.monotonic()
    response = server.batch(texts=[text], words=False)
    assert response.status == 200, response.body
    per_text = max(time.monotonic() - begin, 1e-4)
    return {"texts": [text] * max(1, min(100, int(seconds / per_text)))}


def skim(*arguments):
    """Runs another command, or a server that is expected not to start."""
    done = subprocess.run([SKIM, *map(str, arguments)], input=b"", timeout=TIMEOUT, capture_output=True)
    done.out, done.err = done.stdout.decode(), done.stderr.decode()
    return done


class ServerTest(unittest.TestCase):
    maxDiff = None

    def assert_error(self, response, status, field=None):
        """Checks that the response is an error with this status and field. Returns the message."""
        self.assertEqual(response.status, status, response.body)
        error = response.json["error"]
        self.assertEqual(error["status"], status)
        self.assertTrue(error["message"])
        if field is not None:
            self.assertEqual(error.get("field"), field)
        return error["message"]
