"""Requests that wait in the queue are read together: their responses are those of single requests."""
import json
import random
import signal
import threading

import support
from support import Server, ServerTest, receive_response, request_bytes


def without_time(response):
    """The status and the body of a response. Scores keep all their digits."""
    body = json.loads(response.body)
    body.pop("microseconds", None)
    return response.status, json.dumps(body)


class Gathering(ServerTest):
    options = ("--threads", 1, "--max-body", 50_000_000, "--max-text", 1_000_000)

    def occupy(self, server, seconds=0.3):
        """Keeps the only worker thread busy. Returns the connection, which gets a response after that."""
        connection = server.connect()
        connection.sendall(request_bytes("/v1/read/batch", support.slow_body(server, seconds)))
        server.until("skim_requests_in_flight", 1)
        return connection

    def send_behind(self, server, requests):
        """Sends each request on a connection of its own while the only worker thread is busy. Returns the responses."""
        busy = self.occupy(server)
        clients = [server.connect() for _ in requests]
        for client, data in zip(clients, requests):
            client.sendall(data)
        responses = []
        for client in [busy, *clients]:
            with client.makefile("rb") as stream:
                responses.append(receive_response(stream))
            client.close()
        return responses[1:]

    def bodies(self):
        """Requests of several models and policies, some of them invalid."""
        texts = support.TEXTS + ["", "caf\u00e9 not in the vocabulary", " ".join(support.TEXTS[:40])]
        bodies = [{"text": text, "threshold": i % 11 / 10, "passes": i % 3 == 0} for i, text in enumerate(texts)]
        bodies += [{"text": text, "model": name} for text in texts[:10] for name in ("both", "other", "none")]
        bodies += [{"text": texts[0], "budget": 0.3}, {"text": texts[0], "threshold": 2}, {"texts": texts[:2]}, [],
                   {"text": texts[0], "question": "who?"}, {"text": "film " * 10_000}]
        random.Random(1).shuffle(bodies)
        return bodies

    def test_responses_equal_those_of_single_requests(self):
        models = [support.MODEL, support.path("both.skim"), support.path("other.skim")]
        with Server(*self.options, models=models) as server:
            bodies = self.bodies()
            single = [without_time(server.request("POST", "/v1/read", body)) for body in bodies]
            before = server.metric("skim_read_group_size_count"), server.metric("skim_read_group_size_sum")
            responses = self.send_behind(server, [request_bytes(body=body) for body in bodies])
            for body, expected, response in zip(bodies, single, responses):
                self.assertEqual(without_time(response), expected, body)
            groups = server.metric("skim_read_group_size_count") - before[0]
            requests = server.metric("skim_read_group_size_sum") - before[1]
            self.assertEqual(requests, sum(len(json.dumps(body)) <= 8192 for body in bodies))
            self.assertLess(groups, requests)

    def test_pipelined_and_concurrent_requests_get_their_own_responses(self):
        with Server("--threads", 2, models=[support.MODEL, support.path("other.skim")]) as server:
            bodies = [{"text": text, "model": model, "words": False} for text in support.TEXTS
                      for model in ("planted", "other")]
            single = [without_time(server.request("POST", "/v1/read", body)) for body in bodies]
            wrong = []

            def client(seed):
                order = random.Random(seed).sample(range(len(bodies)), len(bodies))
                with server.connect() as connection, connection.makefile("rb") as stream:
                    for first in range(0, len(order), 5):
                        some = order[first:first + 5]
                        connection.sendall(b"".join(request_bytes(body=bodies[i]) for i in some))
                        wrong.extend(i for i in some if without_time(receive_response(stream)) != single[i])

            clients = [threading.Thread(target=client, args=(seed,)) for seed in range(24)]
            for each in clients:
                each.start()
            for each in clients:
                each.join(support.TIMEOUT)
            self.assertEqual(wrong, [])
            self.assertEqual(server.metric("skim_texts_total"), len(bodies) * 25)
            # A response is received before the request leaves the count.
            server.until("skim_requests_in_flight", 0)

    def test_the_log_has_a_line_with_its_own_times_for_each_request(self):
        log = support.path("gathered.log")
        with Server(*self.options, "--access-log", log) as server:
            responses = self.send_behind(server, [request_bytes(body={"text": text}) for text in support.TEXTS[:8]])
            self.assertEqual({each.status for each in responses}, {200})
        with open(log, encoding="utf-8") as lines:
            entries = [entry for entry in map(json.loads, lines) if entry["path"] == "/v1/read"]
        self.assertEqual(len(entries), 8)
        words = [len(response.json["words"]) for response in responses]
        self.assertEqual(sorted(entry["words"] for entry in entries), sorted(words))
        for entry in entries:
            self.assertEqual(entry["texts"], 1)
            self.assertGreater(entry["waited_microseconds"], 0)
            self.assertGreaterEqual(entry["microseconds"], entry["waited_microseconds"])

    def test_a_client_that_is_gone_does_not_affect_the_others(self):
        with Server(*self.options) as server:
            busy = self.occupy(server)
            clients = [server.connect() for _ in range(12)]
            for client in clients:
                client.sendall(request_bytes(body={"text": support.TEXTS[0], "passes": True}))
            server.until("skim_queue_depth", 12)
            for client in clients[::2]:
                client.close()
            for client in [busy, *clients[1::2]]:
                with client.makefile("rb") as stream:
                    self.assertEqual(receive_response(stream).status, 200)
                client.close()
            server.until("skim_connections_open", 1)

    def test_graceful_shutdown_answers_waiting_requests(self):
        with Server(*self.options) as server:
            busy = self.occupy(server)
            clients = [server.connect() for _ in range(20)]
            for client in clients:
                client.sendall(request_bytes(body={"text": support.TEXTS[0]}))
            server.until("skim_queue_depth", 20)
            server.signal(signal.SIGTERM)
            for client in [busy, *clients]:
                with client.makefile("rb") as stream:
                    response = receive_response(stream)
                self.assertEqual((response.status, response.headers["Connection"]), (200, "close"))
                client.close()

    def test_responses_of_a_group_keep_to_the_memory_for_responses(self):
        body = {"text": " ".join(support.TEXTS)[:7000], "passes": True}
        with Server(*self.options) as server:
            size = len(server.read(**body).body)
        with Server(*self.options, "--max-pending-bytes", size - 1000) as server:
            responses = self.send_behind(server, [request_bytes(body=body), request_bytes(body={"text": "good"})] * 6)
            self.assertEqual([each.status for each in responses], [422, 200] * 6)
