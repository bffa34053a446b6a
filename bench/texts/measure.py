"""Runs all workers in interleaved rounds; collects their answers and times."""
import dataclasses
import math
import statistics
import subprocess
import sys
import time

import programs
from sets import Fault, spread, write_lines

# A sample should last this long, so that a clock tick or a context switch does not count.
SAMPLE_SECONDS = 0.2


@dataclasses.dataclass
class Row:
    """One line of the table: a program that answers texts."""
    name: str
    command: list
    model: object  # its file
    setting: dict
    labels: list = None  # of a worker that answers with indices
    same_answers: str = None  # rows with the same value compute the same, so only one of them is asked for all answers
    environment: dict = None


class Worker:
    def __init__(self, row, core):
        self.row = row
        command = ["taskset", "-c", str(core), *(str(part) for part in row.command)]
        begin = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=row.environment or programs.one_thread())
        if self.process.stdout.readline().strip() != "ready":
            raise Fault(f"{row.name} did not start; see its message above")
        self.load_seconds = time.monotonic() - begin
        self.passes, self.samples, self.count = 1, [], 0

    def ask(self, question):
        self.process.stdin.write(question + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise Fault(f"{self.row.name} stopped at '{question}'; see its message above")
        return answer

    def load(self, path):
        self.count = int(self.ask(f"load {path}"))

    def answers(self, path):
        """The labels it gives to the texts of a file."""
        self.load(path)
        found = self.ask("answers").split()
        if len(found) != self.count:
            raise Fault(f"{self.row.name} gave {len(found)} answers to {self.count} texts of {path}")
        return [self.row.labels[int(index)] for index in found] if self.row.labels else found

    def warm_up(self):
        """Finds how many passes make one sample; the first ones fill caches and embedding tables."""
        seconds = min(float(self.ask("run 1")) for _ in range(2))
        self.passes = max(1, math.ceil(SAMPLE_SECONDS / seconds))

    def sample(self):
        """Microseconds per text."""
        self.samples.append(float(self.ask(f"run {self.passes}")) / self.passes / self.count * 1e6)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def resolve(label, labels):
    """A label of the data as the model spells it: a number that is none of its labels indexes them, as in skim eval."""
    if label in labels:
        return label
    if label.isdigit() and int(label) < len(labels):
        return labels[int(label)]
    raise Fault(f"the data's label '{label}' is none of the model's: {', '.join(labels)}")


def accuracy(answers, truth, labels):
    if labels:
        truth = [resolve(label, labels) for label in truth]
    return sum(a == b for a, b in zip(answers, truth)) / len(truth)


def write_texts(data_set, folder, count):
    """Texts without labels: dev and test whole, and the part of test that is timed."""
    test = data_set.texts("test")
    for name, texts in (("dev", data_set.texts("dev")), ("test", test), ("timed", spread(test, count))):
        write_lines(folder / f"{name}.texts", texts)


def score(workers, data_set, folder, parts=("dev", "test")):
    """Accuracy on each of the parts and the answers to test, by row name."""
    known = {}
    for worker in workers:
        row = worker.row
        kind = row.same_answers or row.name
        if kind not in known:
            print(f"{data_set.name}: {row.name}: answering {' and '.join(parts)} ...", file=sys.stderr, flush=True)
            answers = {part: worker.answers(folder / f"{part}.texts") for part in parts}
            known[kind] = {part: accuracy(answers[part], data_set.labels(part), row.labels) for part in answers}
            known[kind]["answers"] = answers["test"]
    return {worker.row.name: known[worker.row.same_answers or worker.row.name] for worker in workers}


def time_all(workers, path, rounds, title):
    for worker in workers:
        worker.load(path)
        worker.warm_up()
    for number in range(rounds):
        print(f"{title}: round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for worker in workers:
            worker.sample()


def ratio(worker, other):
    """Median over the rounds of one's time over the other's in that round."""
    return statistics.median(mine / theirs for mine, theirs in zip(worker.samples, other.samples))


def summary(samples):
    quarters = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else samples * 3
    return {"median": quarters[1], "lower_quartile": quarters[0], "upper_quartile": quarters[2], "min": min(samples),
            "max": max(samples), "samples": samples}


def measure(rows, data_set, folder, options):
    """One dictionary a row."""
    write_texts(data_set, folder, options.texts)
    workers = []
    try:
        for row in rows:
            workers.append(Worker(row, options.core))
        scores = score(workers, data_set, folder)
        time_all(workers, folder / "timed.texts", options.rounds, data_set.name)
        return [{"name": worker.row.name, "setting": worker.row.setting,
                 "dev_accuracy": scores[worker.row.name]["dev"], "test_accuracy": scores[worker.row.name]["test"],
                 "microseconds": summary(worker.samples), "texts_timed": worker.count,
                 "times": {other.row.name: ratio(worker, other) for other in workers},
                 "agrees_on_test": agreement(worker, workers, scores),
                 "load_seconds": worker.load_seconds, "model_bytes": worker.row.model.stat().st_size}
                for worker in workers]
    finally:
        for worker in workers:
            worker.stop()


def agreement(worker, workers, scores):
    """The share of test on which a row answers as another row with the same model file does: the same network?"""
    twin = next((other for other in workers if other is not worker and other.row.model == worker.row.model
                 and other.row.labels and not other.row.same_answers), None)
    if not twin or not worker.row.same_answers:
        return None
    mine, theirs = scores[worker.row.name]["answers"], scores[twin.row.name]["answers"]
    return sum(a == b for a, b in zip(mine, theirs)) / len(mine)
