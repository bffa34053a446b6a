"""Times all rows in interleaved rounds."""
import statistics
import sys
import time

import measure
from rows import WHEEL


class Progress:
    """One line on a terminal that is written over; elsewhere a line every few seconds."""
    INTERVAL = 15.0

    def __init__(self, title, steps, stream=sys.stderr, clock=time.monotonic):
        self.title, self.steps, self.stream, self.clock = title, steps, stream, clock
        self.done, self.begin, self.shown = 0, clock(), clock()

    def step(self, what):
        """Before each step."""
        now = self.clock()
        text = f"{self.title}: {what}{self.time_left(now)}"
        self.done += 1
        if self.stream.isatty():
            print(f"\r\x1b[K{text[:110]}", end="", file=self.stream, flush=True)
        elif now - self.shown >= self.INTERVAL:
            self.shown = now
            print(text, file=self.stream, flush=True)

    def time_left(self, now):
        if not self.done:
            return ""
        return f", {(now - self.begin) / self.done * (self.steps - self.done):.0f} s left"

    def end(self):
        if self.stream.isatty():
            print("\r\x1b[K", end="", file=self.stream, flush=True)


def warm_up(workers, path, title):
    progress = Progress(title, len(workers))
    for worker in workers:
        progress.step(f"warming up {worker.row.name}")
        worker.load(path)
        worker.warm_up()
    progress.end()


def time_rounds(workers, rounds, title):
    progress = Progress(title, rounds * len(workers))
    for number in range(rounds):
        for worker in workers:
            progress.step(f"round {number + 1} of {rounds}, {worker.row.name}")
            worker.sample()
    progress.end()


def microseconds_per_call(worker, workers):
    """What a call from Python costs: the median over the rounds of one text per call less all texts in one call."""
    if worker.row.engine != WHEEL or worker.row.calls != "one":
        return None
    twin = next(other for other in workers if other.row.model == worker.row.model and other.row.engine == WHEEL
                and other.row.calls == "all")
    return statistics.median(mine - theirs for mine, theirs in zip(worker.samples, twin.samples))


def describe_row(worker, workers, scores):
    row = worker.row
    return {"name": row.name, "engine": row.engine, "calls": row.calls, "setting": row.setting,
            "test_accuracy": scores[row.name]["test"], "microseconds": measure.summary(worker.samples),
            "microseconds_per_call": microseconds_per_call(worker, workers), "texts_timed": worker.count,
            "times": {other.row.name: measure.ratio(worker, other) for other in workers},
            "load_seconds": worker.load_seconds, "model_bytes": row.model.stat().st_size}


def differing_answers(workers, scores):
    """Batches must answer as single texts do: name of a batch row to the number of texts on which it does not."""
    singles = {(worker.row.model, *worker.row.command[2:]): worker.row.name for worker in workers
               if worker.row.engine == "skim" and worker.row.calls == "one"}
    found = {}
    for worker in workers:
        row = worker.row
        if row.engine == "skim" and row.calls == "block":
            mine = scores[row.name]["answers"]
            theirs = scores[singles[(row.model, *row.command[2:-2])]]["answers"]
            found[row.name] = sum(a != b for a, b in zip(mine, theirs))
    return {name: count for name, count in found.items() if count}


def measure_rows(rows, data_set, folder, options):
    """One dictionary per row, and what differing_answers finds."""
    measure.write_texts(data_set, folder, options.texts)
    workers = []
    try:
        for row in rows:
            workers.append(measure.Worker(row, options.core))
        scores = measure.score(workers, data_set, folder, ("test",))
        warm_up(workers, folder / "timed.texts", data_set.name)
        time_rounds(workers, options.rounds, data_set.name)
        return [describe_row(worker, workers, scores) for worker in workers], differing_answers(workers, scores)
    finally:
        for worker in workers:
            worker.stop()
