"""The server, with a fault in one of its calls while it starts, answers requests and stops."""
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import faults

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "server"))
from support import receive_response, request_bytes  # noqa: E402

# Seconds. The server's own limits are far longer, so that they cannot hide a request that is never answered.
TIMEOUT = 30
LIMIT = "600"
# Responses that are correct while a fault lasts.
EXCUSED = (500, 503)


def requests():
    """Requests by connection; those of one connection are sent at once."""
    def read(text):
        return request_bytes(body={"text": text})
    batch = request_bytes("/v1/read/batch", {"texts": ["a good film", "a bad film", "neither"]})
    get = [request_bytes(target, method=method) for method, target in
           (("GET", "/healthz"), ("HEAD", "/"), ("GET", "/v1/models"), ("GET", "/nowhere"))]
    return [[read("a good film")], [read("one"), batch, read("a bad film")], get,
            [request_bytes(body={"text": "long film " * 9000, "words": False})]]


class Hang(Exception):
    pass


def exchange(port, sent):
    """Sends requests on one connection. Returns the (status, body) pairs received before it was closed."""
    received = []
    try:
        with socket.create_connection(("127.0.0.1", port), TIMEOUT) as connection, connection.makefile("rb") as stream:
            connection.sendall(b"".join(sent))
            for request in sent:
                is_head = request.startswith(b"HEAD")
                response = receive_response(stream, is_head)
                if response is None or (not is_head and len(response.body) < int(response.headers["Content-Length"])):
                    break
                received.append((response.status, re.sub(rb'"microseconds":[0-9.e+-]+', b"", response.body)))
    except TimeoutError as error:
        raise Hang(f"no response for {TIMEOUT} s to {sent[len(received)][:60]}") from error
    except OSError:
        pass  # the connection was closed or refused
    return received


class Server:
    """A server that may fail to start: `port` is then None."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, env=environment)
        self.port, self.lines = None, []
        self.started = threading.Event()  # it listens, or has ended
        self.reader = threading.Thread(target=self.collect, daemon=True)
        self.reader.start()
        self.started.wait(TIMEOUT)

    def collect(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if line.startswith(b"listening on"):
                self.port = int(line.rsplit(b":", 1)[1])
                self.started.set()
        self.started.set()

    def stop(self):
        """Returns the exit code."""
        try:
            if self.port:
                self.process.send_signal(signal.SIGTERM)
            return self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired as error:
            raise Hang(f"does not {'stop' if self.port else 'start'} within {TIMEOUT} s") from error
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join()
            self.process.stderr.close()

    def errors(self):
        """Standard error."""
        return b"".join(self.lines)


class Serving:
    name = "serve"
    kinds = None

    def __init__(self, skim, model):
        self.command = [skim, "serve", "--port", "0", "--threads", "2", "--model", str(model), "--access-log",
                        f"{model}.log", "--read-timeout", LIMIT, "--write-timeout", LIMIT, "--keep-alive", LIMIT]

    def __str__(self):
        return " ".join(self.command)

    def close(self):
        pass

    def discover(self, library):
        with tempfile.NamedTemporaryFile(prefix="skim-counts-") as counts:
            server = Server(self.command, faults.environment(library, counts=counts.name))
            self.expected = [exchange(server.port, sent) for sent in requests()]
            assert server.stop() == 0, server.lines
            assert [len(each) for each in self.expected] == [len(each) for each in requests()], self.expected
            return faults.read_counts(counts.name)

    def try_fault(self, library, fault):
        server = Server(self.command, faults.environment(library, fault))
        wrong, answered = [], 0
        try:
            if server.port:
                wrong, answered = self.judge_responses(server.port, fault)
            code = server.stop()
        except Hang as error:
            server.process.kill()
            return wrong + [str(error)]
        # It starts its threads after it listens, and ends if it cannot.
        if code == 1 and not answered:
            wrong = []
        return wrong + self.judge_end(server, fault, code, answered)

    def judge_responses(self, port, fault):
        """What is wrong, and the number of responses."""
        wrong, answered = [], 0
        for sent, expected in zip(requests(), self.expected):
            received = exchange(port, sent)
            answered += len(received)
            wrong += self.judge_exchange(received, expected, fault)
            # One fault spoils one connection; the same requests on a new one are answered.
            if received != expected and not fault.lasting:
                again = exchange(port, sent)
                if again != expected:
                    wrong.append(f"still does not answer: {describe(again)}, expected {describe(expected)}")
        return wrong, answered

    def judge_exchange(self, received, expected, fault):
        """Each response is correct or excused. A closed connection is excused, too, unless the fault is harmless."""
        wrong = [f"responds {describe([got])}, expected {describe([want])}" for got, want in zip(received, expected)
                 if got != want and (got[0] not in EXCUSED or fault.kind in faults.HARMLESS)]
        if len(received) < len(expected) and fault.kind in faults.HARMLESS:
            wrong.append(f"{len(expected) - len(received)} requests have no response")
        return wrong

    def judge_end(self, server, fault, code, answered):
        if code not in (0, 1):
            return [f"exit code {code}: {server.errors()[-500:]}"]
        if code == 1 and b"skim serve: " not in server.errors() and b"skim: " not in server.errors():
            return [f"fails without a message: {server.errors()[-500:]}"]
        if code == 1 and (fault.kind in faults.HARMLESS or answered):
            return [f"ends by itself: {server.errors()[-500:]}"]
        if code == 0 and server.port is None:
            return ["ends without listening, with exit code 0"]
        return []


def describe(responses):
    return json.dumps([[status, body.decode(errors="replace")[:100]] for status, body in responses])
