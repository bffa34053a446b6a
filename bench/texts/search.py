"""Choosing settings on dev: what was tried is kept in a file, so that a search goes on where it was stopped."""
import json
import sys
import time


class Enough(Exception):
    """As many settings were tried as the user wanted."""


def key_of(setting):
    return json.dumps(setting, sort_keys=True)


class Record:
    """Dev scores of one peer on one data set. Begun anew when the data (`basis`) has changed."""

    def __init__(self, path, title, basis):
        self.path, self.title = path, title
        self.content = {"basis": basis, "tried": {}, "chosen": {}}
        if path.exists():
            before = json.loads(path.read_text())
            if before["basis"] == basis:
                self.content = before

    def save(self):
        # Replaced in one go: a search that is stopped here loses nothing.
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(self.content, indent=1) + "\n")
        fresh.replace(self.path)

    def scored(self, evaluate, most):
        """`evaluate` (setting to dev accuracy), asked once for each setting; Enough is raised beyond `most` settings."""
        def score(setting):
            tried, key = self.content["tried"], key_of(setting)
            if key not in tried:
                if len(tried) >= most:
                    raise Enough
                begin = time.monotonic()
                tried[key] = evaluate(setting)
                self.save()
                print(f"{self.title}: {100 * tried[key]:.2f} % of dev with {describe(setting)}, "
                      f"{time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
            return tried[key]

        return score

    def tried(self):
        """(setting, dev accuracy), best first."""
        pairs = [(json.loads(key), score) for key, score in self.content["tried"].items()]
        return sorted(pairs, key=lambda pair: -pair[1])

    def choose(self, name, setting):
        self.content["chosen"][name] = setting
        self.save()

    def chosen(self):
        return self.content["chosen"]


def describe(setting):
    return ", ".join(f"{name} {value}" for name, value in setting.items())


def climb(grid, start, score):
    """Goes from `start` to better neighbours, one value of one setting at a time, until none is better.

    `grid` maps each name to its values in order. A whole grid would take hours on the larger sets.
    """
    best, height = start, score(start)
    improved = True
    while improved:
        improved = False
        for name, values in grid.items():
            for step in (1, -1):
                while 0 <= (at := values.index(best[name]) + step) < len(values):
                    other = {**best, name: values[at]}
                    if score(other) <= height:
                        break
                    best, height, improved = other, score(other), True
    return best
