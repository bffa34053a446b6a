"""HTTP requests that can be told apart by their responses, and clients that send them.

Every request carries a number in its text, in a field name, in a model name or in its method, and the response must
repeat it. A response that went to the wrong request is thereby found, wherever it was exchanged.
"""
import asyncio
import dataclasses
import json
import random

# Seconds until a response counts as missing.
TIMEOUT = 60
AMBIGUOUS_TIMEOUT = 0.3
FILLER = "the film was neither long nor short and its plot had a beginning an end and a middle".split()


@dataclasses.dataclass
class Response:
    status: int
    headers: dict  # names in lower case
    body: bytes

    @property
    def closes(self):
        return self.headers.get("connection", "").lower() == "close"


class Truncated(Exception):
    """The connection ended within a response."""


class Exchange:
    """A request and the check of its response."""

    def __init__(self, kind, data, check, method="POST", wait_after=None):
        self.kind, self.data, self.check, self.method = kind, data, check, method
        # The number of bytes after which the client waits for "100 Continue".
        self.wait_after = wait_after


def head(method, target, *fields):
    return f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{''.join(field + chr(13) + chr(10) for field in fields)}\r\n".encode()


def post(target, body, *fields):
    return head("POST", target, "Content-Type: application/json", f"Content-Length: {len(body)}", *fields) + body


def expect_error(status, said):
    def check(response):
        if response.status != status:
            return f"status {response.status}, expected {status}: {response.body[:200]}"
        return None if said in response.body.decode() else f"the error does not name {said}: {response.body[:200]}"
    return check


def expect_reading(text):
    """The words of the response are those of the text, at their places."""
    def check(response):
        if response.status != 200:
            return f"status {response.status}: {response.body[:200]}"
        return compare_words(json.loads(response.body), text)
    return check


def compare_words(reading, text):
    words = [text[word["begin"]:word["end"]] for word in reading["words"]]
    if words == text.split() == [word["text"] for word in reading["words"]]:
        return None
    return f"the words are {' '.join(words[:5])} ..., expected {text[:60]} ..."


def expect_batch(texts):
    def check(response):
        if response.status != 200:
            return f"status {response.status}: {response.body[:200]}"
        answers = json.loads(response.body)["answers"]
        if len(answers) != len(texts):
            return f"{len(answers)} answers, expected {len(texts)}"
        return next(filter(None, (compare_words(*pair) for pair in zip(answers, texts))), None)
    return check


def expect_status(status, method="GET"):
    """A response without a number; a HEAD has no body, but its length."""
    def check(response):
        if response.status != status:
            return f"status {response.status}, expected {status}: {response.body[:200]}"
        if method == "HEAD" and int(response.headers["content-length"]) == 0:
            return "no length"
        return None
    return check


def split_chunks(body, chance):
    """A chunked body with chunks of random size."""
    out = b""
    while body:
        size = min(len(body), chance.choice((1, 7, 100, 1460, 4096, 16384)))
        out += b"%x\r\n%s\r\n" % (size, body[:size])
        body = body[size:]
    return out + b"0\r\n\r\n"


# Framings that two implementations may read differently, each with a request hidden in what one of them takes for the
# body. If a proxy and the server disagreed, the next request on their connection would get the hidden one's response.
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
AMBIGUOUS = [head("POST", "/v1/read", *fields) + body for fields, body in (
    (("Content-Length: 5", "Transfer-Encoding: chunked"), b"0\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: chunked", "Content-Length: 4"), b"%x\r\n%s\r\n0\r\n\r\n" % (len(HIDDEN), HIDDEN)),
    (("Content-Length: 0", f"Content-Length: {len(HIDDEN)}"), HIDDEN),
    ((f"Content-Length: 0, {len(HIDDEN)}",), HIDDEN),
    (("Content-Length: +0",), HIDDEN),
    (("Content-Length: 0x0",), HIDDEN),
    ((f"Content-Length : {len(HIDDEN)}",), HIDDEN),
    (("Transfer-Encoding : chunked",), b"0\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: xchunked",), b"0\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding:\vchunked",), b"0\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: chunked", "Transfer-Encoding: identity"), b"0\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: identity, chunked, identity",), b"0\r\n\r\n" + HIDDEN),
    (("X: 1\nTransfer-Encoding: chunked",), b"0\r\n\r\n" + HIDDEN),
    (("X: 1\rTransfer-Encoding: chunked",), b"0\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: chunked",), b"0\n\n" + HIDDEN),
    (("Transfer-Encoding: chunked",), b"0;a=\n\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: chunked",), b"-0\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: chunked",), b"00000000000000000\r\nContent-Length: 9\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: chunked",), b"1\r\naa\r\n0\r\n\r\n" + HIDDEN),
    (("Transfer-Encoding: chunked",), b"10000000000000000\r\n" + HIDDEN),
)]


class Traffic:
    """An endless mixture of requests. The same seed gives the same requests."""

    # Kind and weight.
    MIXTURE = {"read": 40, "long": 4, "batch": 8, "chunked": 10, "expect": 3, "get": 12, "head": 6, "not_found": 5,
               "bad_field": 4, "bad_model": 4, "bad_method": 2, "too_large": 2}
    # After these the server closes the connection.
    LAST = ("too_large",)

    def __init__(self, seed, max_body, without=()):
        self.chance = random.Random(seed)
        self.max_body = max_body
        self.kinds = [kind for kind in self.MIXTURE if kind not in without]
        self.weights = [self.MIXTURE[kind] for kind in self.kinds]
        self.number = 0

    def text(self, words):
        self.number += 1
        return " ".join([f"number{self.number}x", *self.chance.choices(FILLER, k=words)])

    def next(self):
        kind = self.chance.choices(self.kinds, self.weights)[0]
        return getattr(self, kind)()

    def read(self, words=None, kind="read", encode=None):
        text = self.text(self.chance.randrange(40) if words is None else words)
        body = json.dumps({"text": text}).encode()
        data = encode(body) if encode else post("/v1/read", body)
        return Exchange(kind, data, expect_reading(text))

    def long(self):
        """Bodies and responses around the sizes of buffers."""
        return self.read(self.chance.choice((700, 1500, 3000, 6000)), "long")

    def chunked(self):
        fields = ("Content-Type: application/json", "Transfer-Encoding: chunked")
        words = self.chance.choice((0, 5, 40, 900))
        return self.read(words, "chunked", lambda body: head("POST", "/v1/read", *fields) + split_chunks(body, self.chance))

    def expect(self):
        exchange = self.read(30, "expect", lambda body: post("/v1/read", body, "Expect: 100-continue"))
        exchange.wait_after = exchange.data.index(b"\r\n\r\n") + 4
        return exchange

    def batch(self):
        texts = [self.text(self.chance.randrange(20)) for _ in range(self.chance.randrange(9))]
        return Exchange("batch", post("/v1/read/batch", json.dumps({"texts": texts, "words": True}).encode()),
                        expect_batch(texts))

    def get(self):
        target = self.chance.choice(("/", "/healthz", "/v1/models", "/app.js"))
        return Exchange("get", head("GET", target), expect_status(200), "GET")

    def head(self):
        target = self.chance.choice(("/", "/healthz", "/v1/models", "/style.css"))
        return Exchange("head", head("HEAD", target), expect_status(200, "HEAD"), "HEAD")

    def not_found(self):
        return Exchange("not_found", head("GET", f"/nothing/{self.chance.random()}"), expect_status(404), "GET")

    def bad_field(self):
        self.number += 1
        name = f"field{self.number}x"
        return Exchange("bad_field", post("/v1/read", json.dumps({"text": "a", name: 1}).encode()),
                        expect_error(400, f"'{name}'"))

    def bad_model(self):
        self.number += 1
        name = f"model{self.number}x"
        return Exchange("bad_model", post("/v1/read", json.dumps({"text": "a", "model": name}).encode()),
                        expect_error(422, f"'{name}'"))

    def bad_method(self):
        method = "".join(self.chance.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=10))
        return Exchange("bad_method", head(method, "/healthz"), expect_error(405, method), method)

    def too_large(self):
        body = json.dumps({"text": "a" * self.max_body}).encode()
        return Exchange("too_large", post("/v1/read", body), expect_status(413))


async def receive(reader, method):
    """The next final response; None when the connection was closed before it began."""
    while True:
        try:
            head_bytes = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise Truncated(f"within a head: {error.partial[:60]}") from error
            return None
        lines = head_bytes.decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1])
        if status != 100:
            break
    headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:] if line)}
    if method == "HEAD" or status in (204, 304):
        return Response(status, headers, b"")
    return Response(status, headers, await receive_body(reader, headers))


async def receive_body(reader, headers):
    try:
        if headers.get("transfer-encoding") != "chunked":
            return await reader.readexactly(int(headers["content-length"]))
        body = b""
        while size := int((await reader.readuntil(b"\r\n")), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readexactly(2)
        return body
    except asyncio.IncompleteReadError as error:
        raise Truncated("within a body") from error


async def receive_continue(reader):
    """Waits for "100 Continue". A final response instead is an error: no request here deserves one."""
    line = await reader.readuntil(b"\r\n\r\n")
    if b" 100 " not in line:
        raise Truncated(f"expected 100 Continue, got {line[:60]}")


class Reader(asyncio.StreamReader):
    """Keeps what was received before the connection broke. asyncio's own reader discards it, and with it the response
    of a server that closes while a body is on its way."""

    def set_exception(self, _):
        self.feed_eof()


async def open_connection(port):
    loop = asyncio.get_running_loop()
    reader = Reader(limit=1 << 20, loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    transport, _ = await loop.create_connection(lambda: protocol, "127.0.0.1", port)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


class Client:
    """One connection. `outcome(exchange, response, problem)` is called for each request, in order."""

    def __init__(self, port, outcome):
        self.port, self.outcome = port, outcome

    async def __aenter__(self):
        self.reader, self.writer = await open_connection(self.port)
        return self

    async def __aexit__(self, *_):
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except OSError:
            pass

    async def send(self, exchange):
        """Sends a request. The server may close while a body is on its way; its response says why."""
        try:
            if exchange.wait_after:
                self.writer.write(exchange.data[:exchange.wait_after])
                await receive_continue(self.reader)
                self.writer.write(exchange.data[exchange.wait_after:])
            else:
                self.writer.write(exchange.data)
            await self.writer.drain()
        except OSError:
            pass

    async def finish(self, exchange):
        """Receives and judges a response. False when it is the last one of the connection."""
        try:
            response = await asyncio.wait_for(receive(self.reader, exchange.method), TIMEOUT)
        except asyncio.TimeoutError:
            return self.outcome(exchange, None, f"no response for {TIMEOUT} s")
        except (OSError, Truncated) as error:
            return self.outcome(exchange, None, f"{type(error).__name__}: {error}")
        self.outcome(exchange, response, exchange.check(response) if response else "the connection was closed")
        return response is not None and not response.closes

    async def one_by_one(self, exchanges):
        """Returns the requests that were not sent because the server had announced to close."""
        for i, exchange in enumerate(exchanges):
            await self.send(exchange)
            if not await self.finish(exchange):
                return exchanges[i + 1:]
        return []

    async def pipelined(self, exchanges):
        """Sends all before it receives any. Returns those behind a response that closes the connection."""
        sending = asyncio.ensure_future(self.send_all(exchanges))
        try:
            for i, exchange in enumerate(exchanges):
                if not await self.finish(exchange):
                    return exchanges[i + 1:]
            return []
        finally:
            sending.cancel()

    async def send_all(self, exchanges):
        for exchange in exchanges:
            await self.send(exchange)

    async def send_ambiguous(self, chance):
        """Sends an ambiguous request and waits for the first response, whatever it is, or the end."""
        self.writer.write(chance.choice(AMBIGUOUS))
        try:
            await asyncio.wait_for(self.reader.read(1), AMBIGUOUS_TIMEOUT)
        except (OSError, asyncio.TimeoutError):
            pass  # the framing promises more than it has

    async def abort(self, exchange, chance):
        """Sends a part of a request, or all, and resets or closes the connection."""
        self.writer.write(exchange.data[:chance.randrange(1, len(exchange.data) + 1)])
        if chance.random() < 0.5:
            self.writer.transport.abort()
