"""The faults that tests/faults/inject.cpp can cause, and which of them to try."""
import dataclasses
import os
import pathlib

# Classes after which a program must succeed as if nothing had happened.
HARMLESS = ("interrupt", "partial")
# Classes that are also tried with every later call failing: memory, disk, descriptors and threads stay exhausted.
LASTING = ("alloc", "mmap", "open", "write", "fsync", "thread", "partial")


@dataclasses.dataclass(frozen=True)
class Fault:
    kind: str  # a class of inject.cpp
    call: int  # the first call that fails, from 1
    lasting: bool = False  # all later calls fail, too

    def __str__(self):
        return f"{self.kind}:{self.call}{'+' if self.lasting else ''}"


def environment(library, fault=None, counts=None, own=False):
    """The environment of a program that runs with this fault, or that counts its calls.

    own: calls by libraries other than the standard library do not count.
    """
    values = {name: value for name, value in os.environ.items() if not name.startswith("SKIM_FAULT")}
    values["LD_PRELOAD"] = str(library)
    if fault:
        values["SKIM_FAULT"] = str(fault)
    if own:
        values["SKIM_FAULT_OWN"] = "1"
    if counts:
        values["SKIM_FAULT_COUNTS"] = str(counts)
    return values


def read_counts(file):
    """Calls per class, as inject.cpp has written them."""
    return {name: int(calls) for name, calls in (line.split() for line in pathlib.Path(file).read_text().splitlines())}


def select(counts, points, kinds=None):
    """Up to `points` evenly spaced faults per class and mode; all of them if `points` is None."""
    chosen = []
    for kind, calls in counts.items():
        if calls == 0 or (kinds and kind not in kinds):
            continue
        stride = 1 if points is None else max(1, -(-calls // points))
        numbers = sorted({*range(1, calls + 1, stride), calls})
        for lasting in (False, True) if kind in LASTING else (False,):
            chosen += [Fault(kind, call, lasting) for call in numbers]
    return chosen
