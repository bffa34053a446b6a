"""Malformed requests, slow clients, overload, shutdown and memory."""
import re
import signal
import socket
import threading
import time

import support
from support import Server, ServerTest, receive_all, receive_response, request_bytes


def send_raw(server, data):
    """Sends bytes, closes the sending side, and returns all that is received."""
    with server.connect() as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return receive_all(connection)


def post(headers, body=b""):
    return b"POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers + b"\r\n" + body


class Abuse(ServerTest):
    def test_malformed_requests_are_rejected(self):
        cases = [
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),  # TLS
            (b"garbage\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400),
            (b"GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", 505),
            (b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
            (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: \x00\r\n\r\n", 400),
            (post(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400),
            (post(b"Content-Length: -5\r\n"), 400),
            (post(b"Transfer-Encoding: gzip\r\n"), 501),
            (post(b"Transfer-Encoding: chunked\r\n", b"zz\r\n"), 400),
            (post(b"Transfer-Encoding: chunked\r\n", b"2 \r\n{}\r\n0\r\n\r\n"), 400),
            (post(b"Transfer-Encoding: chunked\r\n", b"2\r\n{}\r\n0\r\nGET /metrics HTTP/1.1\r\n\r\n"), 400),
            (b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
            (b"\r\n" * 100_000 + b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ]
        with Server() as server:
            for data, status in cases:
                received = send_raw(server, data)
                self.assertTrue(received.startswith(b"HTTP/1.1 %d " % status), (data[:60], received[:60]))
                self.assertIn(b"Connection: close\r\n", received)
            self.assertEqual(server.read(text="good").status, 200)

    def test_a_query_of_an_absolute_target_is_no_path(self):
        with Server() as server:
            received = send_raw(server, b"GET http://localhost?x=/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b"Content-Type: text/html", received)

    def test_garbage_after_a_request_does_not_affect_its_response(self):
        with Server() as server:
            received = send_raw(server, request_bytes(body={"text": "good"}) + b"\x00\xff garbage \r\n\r\n")
            self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+) ", received), [b"200", b"400"])

    def test_invalid_bodies_are_rejected(self):
        deep = b"[" * 100000
        cases = [(b"", 400), (b"{", 400), (b"[]", 400), (deep, 400), (b'{"text":' + deep, 400), (b"null", 400),
                 (b'{"text":"\xff"}', 400), (b'{"text":"\xed\xa0\x80"}', 400), (b'{"text":"a\x00b"}', 400),
                 (b'{"text":"\\ud800"}', 400), (b'{"text":1}', 400), (b'{"text":["a"]}', 400),
                 (b'{"text":"a","text":"b"}', 400), (b'{"text":"a","threshold":"0.5"}', 400),
                 (b'{"text":"a","threshold":1e999}', 400), (b'{"text":"a","threshold":NaN}', 400),
                 (b'{"text":"a","threshold":1.5}', 422), (b'{"text":"a\\u0000b"}', 200)]
        with Server() as server:
            for body, status in cases:
                response = server.request("POST", "/v1/read", body)
                self.assertEqual(response.status, status, body[:80])
            self.assert_error(server.request("POST", "/v1/read", b"{}", Content_Type="text/plain"), 415)
            self.assert_error(server.read(text="a" * 300_000), 422, "text")
            self.assert_error(server.batch(texts=["a"] * 300), 422, "texts")

    def test_paths_never_reach_the_file_system(self):
        with Server() as server:
            for target in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/app.js/../index.html",
                           "/index.html", "/web/index.html"):
                self.assert_error(server.request("GET", target), 404)

    def test_oversized_bodies_are_rejected_without_buffering(self):
        huge = 100_000_000
        with Server() as server:
            before = server.resident_bytes()
            declared = send_raw(server, post(b"Content-Length: %d\r\n" % huge))
            self.assertTrue(declared.startswith(b"HTTP/1.1 413 "))
            for head, piece in ((b"Content-Length: %d\r\n" % huge, b"a" * 1_000_000),
                                (b"Transfer-Encoding: chunked\r\n", b"f4240\r\n" + b"a" * 1_000_000 + b"\r\n")):
                with server.connect() as connection:
                    connection.sendall(post(head))
                    try:
                        for _ in range(100):
                            connection.sendall(piece)
                    except OSError:
                        pass  # closed after the response
                    self.assertTrue(receive_all(connection).startswith(b"HTTP/1.1 413 "))
            # The server buffers at most 1 MiB of a body.
            if not support.SANITIZED:
                self.assertLess(server.resident_bytes() - before, 20_000_000)

    def test_slow_clients_time_out_and_do_not_block_others(self):
        with Server("--read-timeout", 1) as server:
            slow = [server.connect() for _ in range(30)]
            silent = [server.connect() for _ in range(10)]
            for connection in slow:
                connection.sendall(b"POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-")
            self.assertEqual(server.read(text="good").status, 200)
            for connection in slow:
                self.assertTrue(receive_all(connection).startswith(b"HTTP/1.1 408 "))
            for connection in silent:
                self.assertEqual(receive_all(connection), b"")
            for connection in slow + silent:
                connection.close()
            server.until("skim_connections_open", 1)

    def test_clients_that_do_not_receive_their_response_time_out(self):
        with Server("--write-timeout", 0.5, "--max-body", 10_000_000, "--max-text", 10_000_000) as server:
            stalled = socket.socket()
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stalled.connect(("127.0.0.1", server.port))
            # The response is larger than all socket buffers.
            stalled.sendall(request_bytes(body={"text": "good film " * 200_000}))
            server.until("skim_texts_total", 1)
            server.until("skim_connections_open", 1)
            self.assertEqual(server.read(text="good").status, 200)
            stalled.close()

    def test_idle_connections_are_closed(self):
        with Server("--keep-alive", 0.2) as server, server.connect() as connection:
            connection.sendall(request_bytes("/healthz", method="GET"))
            self.assertTrue(receive_all(connection).endswith(b'{"status":"ok"}'))


class Overload(ServerTest):
    def test_requests_beyond_the_queue_get_503_at_once(self):
        with Server("--threads", 1, "--queue", 2, "--max-body", 50_000_000, "--max-text", 1_000_000) as server:
            body = support.slow_body(server, 0.5)
            slow = [server.connect() for _ in range(3)]
            for i, connection in enumerate(slow):
                connection.sendall(request_bytes("/v1/read/batch", body))
                server.until("skim_requests_in_flight", 1)
                server.until("skim_queue_depth", i)
            # The only worker thread is busy and the queue is full, independent of timing.
            clients = [server.connect() for _ in range(40)]
            for connection in clients:
                connection.sendall(request_bytes(body={"text": "good"}))
            responses = []
            for connection in clients:
                with connection.makefile("rb") as stream:
                    responses.append(receive_response(stream))
            self.assertEqual(server.request("GET", "/healthz").status, 200)
            rejected = [each for each in responses if each.status == 503]
            self.assertGreater(len(rejected), 0)
            self.assertEqual({each.status for each in responses} - {200, 503}, set())
            for each in rejected:
                self.assertEqual(each.headers["Retry-After"], "1")
                self.assertEqual(each.json["error"]["status"], 503)
            for connection in slow:
                with connection.makefile("rb") as stream:
                    self.assertEqual(receive_response(stream).status, 200)
            # A client may retry on the same connection after a 503.
            for connection in clients:
                connection.sendall(request_bytes(body={"text": "good"}))
                with connection.makefile("rb") as stream:
                    self.assertEqual(receive_response(stream).status, 200)
                connection.close()
            for connection in slow:
                connection.close()

    def test_connections_beyond_the_limit_get_503(self):
        with Server("--max-connections", 5) as server:
            admitted = [server.connect() for _ in range(5)]
            for connection in admitted:
                connection.sendall(request_bytes("/healthz", method="GET"))
                connection.recv(1000)
            for _ in range(20):
                with server.connect() as connection:
                    received = receive_all(connection)
                    self.assertTrue(received.startswith(b"HTTP/1.1 503 "), received[:60])
                    self.assertIn(b"Retry-After: 1\r\n", received)
            for connection in admitted:
                connection.close()
            self.wait_until_admitted(server)

    # The server notices closed connections when it gets to their events. Until then it rejects further ones, and when
    # too many rejected ones are open, it closes them without a response (docs/http.md).
    def wait_until_admitted(self, server):
        end = time.monotonic() + support.TIMEOUT
        status = None
        while status != 200:
            self.assertLess(time.monotonic(), end)
            try:
                status = server.request("GET", "/healthz").status
            except ConnectionError:
                time.sleep(0.01)

    def test_a_hundred_concurrent_clients_are_answered(self):
        with Server() as server:
            clients = [server.connect() for _ in range(100)]
            for connection in clients:
                connection.sendall(request_bytes(body={"text": support.TEXTS[0]}))
            for connection in clients:
                with connection.makefile("rb") as stream:
                    self.assertEqual(receive_response(stream).status, 200)
                connection.close()


class Shutdown(ServerTest):
    def request_until_closed(self, server, counts):
        """Sends requests on one connection until the server closes it. Counts requests and responses."""
        sent = answered = 0
        with server.connect() as connection, connection.makefile("rb") as stream:
            closing = False
            while not closing:
                connection.sendall(request_bytes(body={"text": support.TEXTS[sent % len(support.TEXTS)]}))
                sent += 1
                response = receive_response(stream)
                answered += response is not None and response.status == 200
                closing = response is None or response.headers.get("Connection") == "close"
        counts.append((sent, answered))

    def test_graceful_shutdown_under_load_answers_all_requests(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server("--access-log", "none") as server:
                counts = []
                clients = [threading.Thread(target=self.request_until_closed, args=(server, counts)) for _ in range(8)]
                for client in clients:
                    client.start()
                while server.metric("skim_texts_total") < 200:
                    pass
                server.signal(number)
                for client in clients:
                    client.join(support.TIMEOUT)
                self.assertEqual(server.process.wait(support.TIMEOUT), 0)
                self.assertEqual(len(counts), 8)
                for sent, answered in counts:
                    self.assertEqual(sent, answered)
                with self.assertRaises(OSError):
                    server.connect()

    def test_graceful_shutdown_answers_queued_requests(self):
        with Server("--threads", 1, "--max-body", 50_000_000, "--max-text", 1_000_000) as server:
            body = support.slow_body(server, 0.2)
            slow = [server.connect() for _ in range(4)]
            for i, connection in enumerate(slow):
                connection.sendall(request_bytes("/v1/read/batch", body))
            server.until("skim_queue_depth", 3)
            server.signal(signal.SIGTERM)
            for connection in slow:
                with connection.makefile("rb") as stream:
                    self.assertEqual(len(receive_response(stream).json["answers"]), len(body["texts"]))
                connection.close()

    def test_a_second_signal_terminates_at_once(self):
        server = Server("--threads", 1, "--max-body", 50_000_000, "--max-text", 1_000_000)
        body = support.slow_body(server, 2)
        with server.connect() as connection:
            connection.sendall(request_bytes("/v1/read/batch", body))
            server.until("skim_requests_in_flight", 1)
            server.signal(signal.SIGTERM)
            while True:  # until it has begun to stop
                try:
                    server.connect().close()
                except OSError:
                    break
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(), -signal.SIGTERM)


class Memory(ServerTest):
    def send_many(self, server, count):
        with server.connect() as connection, connection.makefile("rb") as stream:
            for i in range(count):
                body = {"text": support.TEXTS[i % len(support.TEXTS)], "passes": True}
                broken = i % 10 == 0
                connection.sendall(request_bytes(body={"nothing": 1} if broken else body))
                self.assertEqual(receive_response(stream).status, 400 if broken else 200)

    def test_memory_does_not_grow_with_requests(self):
        with Server("--access-log", "none") as server:
            self.send_many(server, 500)
            before = server.resident_bytes()
            for _ in range(50):
                server.read(text="good")  # on new connections
            self.send_many(server, 4000)
            # A response has about 8 kB: leaking one in ten would add 3 MB. The allocator may keep some memory. The address
            # sanitizer delays frees, and detects leaks itself at exit.
            if not support.SANITIZED:
                self.assertLess(server.resident_bytes() - before, 2_000_000)

    def stalled_client(self, server, data):
        """A client that sends a request and does not receive the response."""
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", server.port))
        client.sendall(data)
        return client

    def test_responses_that_nobody_receives_hold_limited_memory(self):
        """Each of them stayed in memory: 80 clients held 1 GB."""
        limit, count = 30_000_000, 20
        body = {"texts": [" ".join(support.TEXTS)[:20_000]] * 30, "words": True, "passes": True}
        with Server("--max-pending-bytes", limit, "--write-timeout", support.TIMEOUT, "--access-log", "none") as server:
            size = len(server.batch(**body).body)  # larger than all socket buffers
            self.assertGreater(size * count, 4 * limit)
            before = server.resident_bytes()
            clients = [self.stalled_client(server, request_bytes("/v1/read/batch", body)) for _ in range(count)]
            server.until('skim_requests_total{route="/v1/read/batch"', count + 1)
            pending = server.metric("skim_pending_response_bytes")
            self.assertGreater(pending, 0)
            self.assertLessEqual(pending, limit)
            self.assertGreater(server.metric('skim_requests_total{route="/v1/read/batch",status="503"'), 0)
            if not support.SANITIZED:  # the allocator may keep some memory
                self.assertLess(server.resident_bytes() - before, 2 * limit)
            # Short responses do not use this memory.
            self.assertEqual(server.read(text="good").status, 200)
            self.assert_error(server.batch(**body), 503)
            for client in clients:
                client.close()
            server.until("skim_pending_response_bytes", 0)
            self.assertEqual(server.batch(**body).status, 200)

    def test_a_response_that_can_never_be_sent_is_an_error(self):
        body = {"texts": support.TEXTS, "words": True, "passes": True}
        with Server("--max-pending-bytes", 60_000) as server:
            self.assertIn("omit words and passes", self.assert_error(server.batch(**body), 422))
            self.assertEqual(server.batch(texts=support.TEXTS).status, 200)

    def test_pipelined_requests_are_not_buffered(self):
        """Each request that was answered received 64 KiB more, so that all input was buffered."""
        count = 100_000
        request = request_bytes("/healthz", method="GET")
        with Server("--access-log", "none") as server, server.connect() as connection:
            before = server.resident_bytes()
            sender = threading.Thread(target=connection.sendall, args=(request * count,))
            sender.start()
            largest, received, tail = 0, 0, b""
            while received < count:
                data = tail + connection.recv(1 << 16)
                received += data.count(b'"ok"}')
                tail = data[-4:]
                largest = max(largest, server.resident_bytes())
            sender.join(support.TIMEOUT)
            # The requests have 6 MB.
            if not support.SANITIZED:
                self.assertLess(largest - before, 2_000_000)
