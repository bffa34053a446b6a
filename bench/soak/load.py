"""Clients of all kinds, and the tally of what became of their requests."""
import asyncio
import collections
import json
import logging
import pathlib
import random
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
import traffic  # noqa: E402
from traffic import Client, Traffic, Truncated  # noqa: E402

# A client that writes to a closed connection is not worth a message; its request is judged.
logging.getLogger("asyncio").setLevel(logging.CRITICAL)
MAX_BODY = 100_000
MAX_PER_CONNECTION = 40
MAX_PROBLEMS = 50
# Responses of a server that has too much to do. They are correct and count as refused.
REFUSALS = (503,)


class KnownTexts:
    """Texts whose readings by each model are known."""

    def __init__(self, skim, models, seed):
        chance = random.Random(seed)
        lengths = [chance.randrange(60) for _ in range(300)] + [900, 2500, 6000]
        self.texts = [" ".join([f"number{i}x", *chance.choices(traffic.FILLER + ["good", "bad", "superb"], k=length)])
                      for i, length in enumerate(lengths)]
        self.readings = {text: [] for text in self.texts}
        for model in models:
            done = subprocess.run([skim, "run", "--json", "--words", "--model", model], check=True, text=True,
                                  input="".join(text + "\n" for text in self.texts), capture_output=True)
            for text, line in zip(self.texts, done.stdout.splitlines(), strict=True):
                self.readings[text].append(essence(json.loads(line)))

    def problem(self, reading, text):
        """What is wrong with the reading of a text by any of the models."""
        if "error" in reading:
            return f"an error: {reading['error']}"
        return None if essence(reading) in self.readings[text] else f"not the reading of {text[:40]}"

    def model_of(self, reading, text):
        """The index of the model that read it."""
        return self.readings[text].index(essence(reading))


def essence(reading):
    return reading["scores"], reading["words"]


class KnownTraffic(Traffic):
    """Requests about known texts; each response must be a reading of its own text by one of the models."""

    def __init__(self, known, seed):
        super().__init__(seed, MAX_BODY)
        self.known = known

    def text(self, words):
        texts = self.known.texts[-3:] if words > 600 else self.known.texts[:-3]
        return self.chance.choice(texts)

    def read(self, *arguments, **more):
        exchange = super().read(*arguments, **more)
        return self.checked(exchange, lambda body: [body])

    def batch(self):
        return self.checked(super().batch(), lambda body: body["answers"])

    def checked(self, exchange, readings):
        compare = exchange.check

        def check(response):
            problem = compare(response)
            if problem or response.status != 200:
                return problem
            for reading in readings(json.loads(response.body)):
                text = " ".join(word["text"] for word in reading["words"])
                problem = problem or self.known.problem(reading, text)
            return problem
        exchange.check = check
        return exchange


class Tally:
    def __init__(self, service):
        self.service = service
        self.counts, self.statuses, self.problems = collections.Counter(), collections.Counter(), []

    def problem(self, text):
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(text)

    def lose(self, kind, why):
        self.counts["lost"] += 1
        self.problem(f"{kind}: {why}")


class BusyClient(Client):
    """A connection that knows when it was opened and when each of its requests was sent."""

    def __init__(self, tally):
        super().__init__(tally.service.port, self.judge)
        self.tally = tally

    async def __aenter__(self):
        await super().__aenter__()
        self.opened = time.monotonic()
        return self

    async def send(self, exchange):
        self.tally.counts["sent"] += 1
        exchange.sent = time.monotonic()
        await super().send(exchange)

    def judge(self, exchange, response, problem):
        counts = self.tally.counts
        if response:
            self.tally.statuses[response.status] += 1
        if response and response.status in REFUSALS:
            counts["refused"] += 1
        elif response and response.status == 408:
            counts["timed out"] += 1
        elif not problem:
            counts["answered"] += 1
        elif response:
            counts["wrong"] += 1
            self.tally.lose(exchange.kind, problem)
        elif self.tally.service.was_promised(self.opened, exchange.sent):
            self.tally.lose(exchange.kind, problem)
        else:
            counts["not accepted"] += 1


async def until(end, client, tally):
    """Runs a client again and again. A refused connection is excused while the server restarts."""
    while time.monotonic() < end:
        begin = time.monotonic()
        try:
            await client()
        except (ConnectionError, Truncated, asyncio.IncompleteReadError) as error:
            if tally.service.was_up(begin, time.monotonic()):
                tally.counts["lost"] += 1
                tally.problem(f"connection: {type(error).__name__}: {error}")
            tally.counts["refused connections"] += 1
            await asyncio.sleep(0.02)


def busy(tally, requests):
    """Persistent connections with requests of all kinds, one by one or pipelined."""
    async def client():
        exchanges = [requests.next() for _ in range(requests.chance.randrange(1, MAX_PER_CONNECTION))]
        exchanges = [each for each in exchanges if each.kind not in requests.LAST]
        pipelines = requests.chance.random() < 0.4
        async with BusyClient(tally) as connection:
            if pipelines:
                exchanges = [each for each in exchanges if not each.wait_after]
            unanswered = await (connection.pipelined(exchanges) if pipelines else connection.one_by_one(exchanges))
        if pipelines:
            tally.counts["not accepted"] += sum(hasattr(each, "sent") for each in unanswered)
    return client


def slow(tally, requests, read_timeout):
    """Sends a request in many small pieces: in time, or so slowly that the response is 408."""
    async def client():
        exchange = requests.read(10)
        pause = requests.chance.choice((0.2, 0.2, 1.5)) * read_timeout / 8
        async with BusyClient(tally) as connection:
            tally.counts["sent"] += 1
            tally.counts["slow"] += 1
            exchange.sent = time.monotonic()
            for i in range(8):
                connection.writer.write(exchange.data[i * len(exchange.data) // 8:(i + 1) * len(exchange.data) // 8])
                await asyncio.sleep(pause)
            await connection.finish(exchange)
    return client


def flood(tally, requests, connections):
    """So many connections at once that the queue overflows: each gets its reading or a 503."""
    async def one():
        async with BusyClient(tally) as connection:
            await connection.one_by_one([requests.long()])

    async def client():
        await asyncio.gather(*(one() for _ in range(connections)))
        await asyncio.sleep(2 * requests.chance.random())
    return client


def deaf(tally, requests, write_timeout):
    """Requests long responses and never receives them, until the server gives up."""
    async def client():
        async with BusyClient(tally) as connection:
            connection.writer.transport.pause_reading()
            for _ in range(20):
                connection.writer.write(requests.read(6000).data)
                tally.counts["never received"] += 1
            await asyncio.sleep(write_timeout * 1.5 * requests.chance.random())
    return client
