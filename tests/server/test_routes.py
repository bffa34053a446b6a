"""Endpoints, connections, the page, authentication, the access log, and startup."""
import json
import pathlib
import re
import subprocess

import support
from support import Server, ServerTest, receive_all, receive_response, request_bytes


def without_time_and_model(reading):
    return {name: value for name, value in reading.items() if name not in ("microseconds", "warm_microseconds", "model")}


class Reading(ServerTest):
    def test_readings_equal_those_of_skim_read(self):
        with Server() as server:
            for text in support.TEXTS[:5] + ["", "caf\u00e9 \u201cquoted\u201d \U0001F3AC not in the vocabulary"]:
                for threshold in (0, 0.5, 0.9):
                    done = support.skim("read", "--json", "--model", support.MODEL, "--threshold", threshold, "--", text)
                    response = server.read(text=text, threshold=threshold, passes=True)
                    self.assertEqual(response.status, 200)
                    self.assertEqual(without_time_and_model(response.json), without_time_and_model(json.loads(done.out)))

    def test_a_budget_equals_that_of_skim_read(self):
        with Server() as server:
            done = support.skim("read", "--json", "--model", support.MODEL, "--budget", 0.3, support.TEXTS[0])
            response = server.read(text=support.TEXTS[0], budget=0.3, passes=True)
            self.assertEqual(without_time_and_model(response.json), without_time_and_model(json.loads(done.out)))

    def test_a_batch_equals_its_texts_one_by_one(self):
        with Server() as server:
            whole = server.batch(texts=support.TEXTS, words=True, passes=True).json
            self.assertEqual(whole["model"], "planted")
            self.assertEqual(len(whole["answers"]), len(support.TEXTS))
            for text, response in zip(support.TEXTS, whole["answers"]):
                self.assertEqual(without_time_and_model(response), without_time_and_model(server.read(text=text, passes=True).json))

    def test_a_batch_reports_errors_per_element(self):
        with Server("--max-text", 100) as server:
            answers = server.batch(texts=["good", 5, "bad " * 50, "bad"]).json["answers"]
            self.assertEqual([one.get("error", {}).get("status", 200) for one in answers], [200, 400, 422, 200])

    def test_models_are_selected_by_name(self):
        models = [support.MODEL, "deep=" + support.path("both.skim"), support.path("cloze.skim")]
        with Server(models=models) as server:
            self.assertEqual([one["name"] for one in server.request("GET", "/v1/models").json["models"]],
                             ["planted", "deep", "cloze"])
            self.assertEqual(server.read(text="good").json["model"], "planted")
            deep = server.read(text="good film", model="deep", passes=True).json
            self.assertEqual([one["reader"] for one in deep["passes"]],
                             ["0.forward", "0.backward", "1.forward", "1.backward"])
            cloze = server.read(model="cloze", text="zxba zxdo", question="zxfe", choices=["zxba", "zxdo"]).json
            self.assertIn(cloze["answer"]["text"], ["zxba", "zxdo"])
            self.assert_error(server.read(model="cloze", text="zxba"), 422)
            self.assert_error(server.read(text="good", model="none"), 422, "model")
            self.assert_error(server.read(text="good", model=support.MODEL), 422, "model")

    def test_errors_do_not_reveal_paths(self):
        with Server(models=[support.path("cloze.skim")]) as server:
            response = server.read(text="a", question="b", choices=["c"], budget=0.5)
            self.assertIn("cloze was never calibrated", self.assert_error(response, 422, "budget"))
            for target in ("/v1/models", "/metrics"):
                self.assertNotIn(str(support.FOLDER), server.request("GET", target).body.decode())


class Connections(ServerTest):
    def test_one_connection_serves_many_requests(self):
        with Server() as server, server.connect() as connection, connection.makefile("rb") as stream:
            for text in support.TEXTS:
                connection.sendall(request_bytes(body={"text": text}))
                self.assertEqual(receive_response(stream).status, 200)
            self.assertEqual(server.metric("skim_texts_total"), len(support.TEXTS))

    def test_pipelined_requests_are_answered_in_order(self):
        with Server() as server, server.connect() as connection, connection.makefile("rb") as stream:
            connection.sendall(b"".join(request_bytes(body={"text": text}) for text in support.TEXTS))
            for text in support.TEXTS:
                words = receive_response(stream).json["words"]
                self.assertEqual(words[0]["text"], text.split()[0])

    def test_a_half_closed_connection_gets_its_response(self):
        with Server() as server, server.connect() as connection:
            connection.sendall(request_bytes(body={"text": "good"}))
            connection.shutdown(1)
            self.assertIn(b'"answer"', receive_all(connection))

    def test_http_1_0_connections_are_closed_after_the_response(self):
        with Server() as server, server.connect() as connection:
            connection.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            self.assertTrue(receive_all(connection).endswith(b'{"status":"ok"}'))

    def test_chunked_bodies_and_expect_continue(self):
        body = json.dumps({"text": "good film", "words": False}).encode()
        chunks = b"".join(b"%x\r\n%c\r\n" % (1, byte) for byte in body) + b"0\r\n\r\n"
        with Server() as server, server.connect() as connection, connection.makefile("rb") as stream:
            connection.sendall(b"POST /v1/read HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               b"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n")
            self.assertEqual(stream.readline() + stream.readline(), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(chunks)
            self.assertEqual(receive_response(stream).status, 200)


class Page(ServerTest):
    def test_all_page_files_are_served(self):
        types = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
                 ".css": "text/css; charset=utf-8"}
        with Server() as server:
            for file in sorted((support.SOURCE / "web").iterdir()):
                target = "/" if file.name == "index.html" else "/" + file.name
                response = server.request("GET", target)
                self.assertEqual(response.status, 200)
                self.assertEqual(response.body, file.read_bytes())
                if file.suffix in types:
                    self.assertEqual(response.headers["Content-Type"], types[file.suffix])
                self.assertIn("default-src 'none'; script-src 'self'", response.headers["Content-Security-Policy"])
                again = server.request("GET", target, If_None_Match=response.headers["ETag"])
                self.assertEqual((again.status, again.body), (304, b""))


class Access(ServerTest):
    def test_requests_need_the_token(self):
        token = "0123456789abcdef-secret"
        pathlib.Path(support.path("token")).write_text(token + "\n")
        with Server("--token-file", support.path("token")) as server:
            self.assertEqual(server.request("GET", "/").status, 200)
            self.assertEqual(server.request("GET", "/healthz").status, 200)
            for wrong in ({}, {"Authorization": "Bearer " + token[:-1]}, {"Authorization": token}):
                response = server.request("POST", "/v1/read", {"text": "good"}, **wrong)
                self.assert_error(response, 401)
                self.assertEqual(response.headers["WWW-Authenticate"], "Bearer")
            right = server.request("POST", "/v1/read", {"text": "good"}, Authorization="Bearer " + token)
            self.assertEqual(right.status, 200)
            lines = server.lines
        self.assertFalse([line for line in lines if token in line])

    def test_cors_is_off_by_default(self):
        with Server() as server:
            self.assertNotIn("Access-Control-Allow-Origin", server.request("GET", "/healthz").headers)
            self.assertEqual(server.request("OPTIONS", "/v1/read").status, 405)
        with Server("--cors", "https://example.org") as server:
            response = server.request("OPTIONS", "/v1/read", Origin="https://example.org")
            self.assertEqual(response.status, 204)
            self.assertEqual(response.headers["Access-Control-Allow-Origin"], "https://example.org")
            self.assertIn("POST", response.headers["Access-Control-Allow-Methods"])
            self.assertEqual(server.read(text="a").headers["Access-Control-Allow-Origin"], "https://example.org")

    def test_requests_that_are_rejected_early_have_cors_headers_and_a_route(self):
        """Pages saw a network error instead of 413, and the log had no path."""
        log = pathlib.Path(support.path("early.log"))
        with Server("--cors", "https://example.org", "--max-body", 100, "--read-timeout", 1,
                    "--access-log", log) as server:
            self.assertEqual(server.read(text="a" * 200).headers["Access-Control-Allow-Origin"], "https://example.org")
            with server.connect() as connection:
                connection.sendall(request_bytes(body={"text": "a"})[:-3])
                self.assertIn(b"HTTP/1.1 408 ", receive_all(connection))
            for status in (413, 408):
                self.assertEqual(server.metric(f'skim_requests_total{{route="/v1/read",status="{status}"'), 1)
        entries = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([(one["method"], one["path"], one["status"]) for one in entries[:2]],
                         [("POST", "/v1/read", 413), ("POST", "/v1/read", 408)])

    def test_long_methods_are_truncated_in_the_log(self):
        log = pathlib.Path(support.path("method.log"))
        with Server("--access-log", log) as server:
            self.assert_error(server.request("X" * 5000, "/v1/read"), 405)
        self.assertEqual(json.loads(log.read_text())["method"], "X" * 32)

    def hosts(self, server, *names):
        """The statuses of requests with these Host headers."""
        return [server.request("GET", "/healthz", Host=name).status for name in names]

    def test_a_loopback_address_answers_only_for_its_own_hosts(self):
        """A web page whose host name resolves to 127.0.0.1 could use the server."""
        with Server() as server:
            own = ("localhost", f"localhost:{server.port}", "127.0.0.1:1", "[::1]", "page.localhost:80")
            self.assertEqual(self.hosts(server, *own), [200] * 5)
            self.assertEqual(self.hosts(server, "rebound.example.org", "localhost.example.org:80"), [421] * 2)
            message = self.assert_error(server.request("GET", "/", Host="rebound.example.org"), 421)
            self.assertIn("--allow-host", message)
            self.assertEqual(server.metric('skim_requests_total{route="page",status="421"'), 1)
            with server.connect() as connection:
                connection.sendall(b"GET http://rebound.example.org/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertIn(b"HTTP/1.1 421 ", connection.recv(1000))
        with Server("--allow-host", "a.example.org", "--allow-host", "::2") as server:
            names = ("A.example.org:80", "[::2]", "localhost", "example.org")
            self.assertEqual(self.hosts(server, *names), [200, 200, 200, 421])
        with Server("--allow-host", "*") as server:
            self.assertEqual(self.hosts(server, "rebound.example.org"), [200])

    def test_a_public_address_answers_for_all_hosts_unless_some_are_named(self):
        with Server("--host", "0.0.0.0") as server:
            self.assertEqual(self.hosts(server, "example.org"), [200])
        with Server("--host", "0.0.0.0", "--allow-host", "example.org") as server:
            self.assertEqual(self.hosts(server, "example.org", "other.example.org"), [200, 421])

    def test_the_access_log_has_one_object_per_request(self):
        log = pathlib.Path(support.path("access.log"))
        with Server("--access-log", log) as server:
            server.read(text="good film")
            server.request("GET", "/nowhere")
        entries = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual([(one["method"], one["path"], one["status"]) for one in entries],
                         [("POST", "/v1/read", 200), ("GET", "/nowhere", 404)])
        self.assertEqual((entries[0]["model"], entries[0]["texts"], entries[0]["words"]), ("planted", 1, 2))

    def test_the_access_log_goes_to_standard_error_by_default(self):
        with Server() as server:
            server.request("GET", "/healthz")
        self.assertEqual(json.loads(server.lines[-1])["path"], "/healthz")
        with Server("--access-log", "none") as server:
            server.request("GET", "/healthz")
        self.assertEqual(len(server.lines), 1)

    def test_metrics(self):
        with Server() as server:
            for _ in range(3):
                server.read(text="good film")
            server.request("GET", "/nowhere")
            text = server.request("GET", "/metrics").body.decode()
            self.assertIn('skim_requests_total{route="/v1/read",status="200"} 3\n', text)
            self.assertIn('skim_requests_total{route="other",status="404"} 1\n', text)
            self.assertIn('skim_request_duration_seconds_bucket{route="/v1/read",le="+Inf"} 3\n', text)
            self.assertEqual(server.metric("skim_words_total"), 6)
            for line in text.splitlines():
                self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [0-9.e+-]+)$')


class Startup(ServerTest):
    def test_invalid_options_are_reported(self):
        for options in (["--port", "70000"], ["--queue", "0"], ["--read-timeout", "0"], ["--threads", "-1"],
                        ["--cors", "a b"], ["--max-pending-bytes", "0"], ["--allow-host", "a:80"],
                        ["--allow-host", "http://a"]):
            done = support.skim("serve", "--model", support.MODEL, *options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(options[0], done.err)

    def test_startup_errors_are_reported(self):
        pathlib.Path(support.path("short")).write_text("short\n")
        for options, message in ((["--model", "/no/such.skim"], "/no/such.skim"),
                              (["--model", support.MODEL, "--model", support.MODEL], "two models"),
                              (["--model", support.MODEL, "--token-file", support.path("short")], "16 visible"),
                              (["--model", support.MODEL, "--host", "no.such.host.invalid"], "no.such.host.invalid"),
                              (["--model", support.MODEL, "--access-log", "/no/such/folder/log"], "/no/such/folder")):
            done = support.skim("serve", "--port", "0", *options)
            self.assertEqual(done.returncode, 1, done.err)
            self.assertIn(message, done.err)

    def test_too_few_descriptors_are_reported_with_advice_that_helps(self):
        """The server said that it was listening, then failed with advice that could not help."""
        def serve(limit, *options):
            return subprocess.Popen(["bash", "-c", f'ulimit -n {limit}; exec "$@"', "-", support.SKIM, "serve", "--port",
                                     "0", "--model", support.MODEL, *options], stderr=subprocess.PIPE, text=True)
        refused = serve(200)
        _, message = refused.communicate(timeout=support.TIMEOUT)
        self.assertEqual(refused.returncode, 1)
        self.assertNotIn("listening", message)
        self.assertIn("the limit on open files is 200", message)
        for options, limit in (re.search(r"--max-connections \d+", message)[0].split(), 200), \
                              ([], re.search(r"raise the limit to (\d+)", message)[1]):
            with serve(limit, *options) as server:
                self.assertIn("listening", server.stderr.readline())
                server.terminate()
                server.communicate(timeout=support.TIMEOUT)
                self.assertEqual(server.returncode, 0)
        _, message = serve(50).communicate(timeout=support.TIMEOUT)
        self.assertNotIn("--max-connections", message)

    def test_a_port_in_use_is_reported(self):
        with Server() as server:
            done = support.skim("serve", "--model", support.MODEL, "--port", server.port)
            self.assertEqual(done.returncode, 1)
            self.assertIn(str(server.port), done.err)

    def test_a_public_address_without_a_token_gives_a_warning(self):
        with Server("--host", "0.0.0.0") as server:
            self.assertIn("--token-file", server.lines[0])


class Manual(ServerTest):
    def test_the_commands_of_the_manual_run(self):
        block = re.compile(r"(?P<mark><!-- not run: [^>]* -->\n)?^```sh\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
        text = (support.SOURCE / "docs/http.md").read_text(encoding="utf-8")
        blocks = [match["text"] for match in block.finditer(text) if not match["mark"]]
        self.assertGreater(len(blocks), 1)
        with Server() as server:
            for commands in blocks:
                here = commands.replace("localhost:8080", f"127.0.0.1:{server.port}")
                done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", here], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, commands + done.stderr)
                self.assertTrue(done.stdout.strip(), commands)
