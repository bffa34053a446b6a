"""Worker protocol of bench/texts/run in Python; worker.h is the C++ version."""
import sys
import time


def load_lines(path):
    # Not splitlines: it cuts at separators that texts may hold.
    with open(path, encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


def serve(answer):
    """`answer` takes a list of texts and returns a list of labels."""
    print("ready", flush=True)
    texts = []
    for line in sys.stdin:
        verb, _, argument = line.rstrip("\n").partition(" ")
        if verb == "load":
            texts = load_lines(argument)
            print(len(texts), flush=True)
        elif verb == "run":
            begin = time.perf_counter()
            for _ in range(int(argument)):
                answer(texts)
            print(time.perf_counter() - begin, flush=True)
        else:
            print(*answer(texts), flush=True)
