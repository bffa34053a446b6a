"""Hyperparameter search on dev. Results are stored in a file, so that a search resumes where it stopped."""
import json
import sys
import time


class Enough(Exception):
    """The limit of settings to try is reached."""


def setting_key(setting):
    return json.dumps(setting, sort_keys=True)


class Record:
    """Dev scores of one peer on one data set. Starts over when the data (`basis`) has changed."""

    def __init__(self, path, title, basis):
        self.path, self.title = path, title
        self.content = {"basis": basis, "tried": {}, "chosen": {}}
        if path.exists():
            before = json.loads(path.read_text())
            if before["basis"] == basis:
                self.content = before

    def save(self):
        # Atomic: an interrupted search loses nothing.
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps(self.content, indent=1) + "\n")
        fresh.replace(self.path)

    def scored(self, evaluate, max_settings):
        """`evaluate` (setting to dev accuracy), asked once for each setting; Enough is raised beyond `max_settings` settings."""
        def score(setting):
            tried, key = self.content["tried"], setting_key(setting)
            if key not in tried:
                if len(tried) >= max_settings:
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
    """Hill climbing: goes from `start` to better neighbours, one value of one setting at a time.

    `grid` maps each name to its values in order. A full grid search would take hours on the larger sets.
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
