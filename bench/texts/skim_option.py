"""The option --skim of the benchmarks: a model file and how much of a text it reads."""
import argparse
import dataclasses
import pathlib

from programs import Missing
from skim_file import ModelFile

FORM = "NAME=FILE, NAME=FILE@BUDGET or NAME=FILE@threshold=T"


@dataclasses.dataclass
class Skim:
    """--skim NAME=FILE, NAME=FILE@BUDGET or NAME=FILE@threshold=T; {set} in FILE is replaced by the name of the data set."""
    name: str
    file: str
    policy: list  # of skim_worker: ["budget", "0.3"]

    def path(self, set_name):
        return pathlib.Path(self.file.replace("{set}", set_name))

    def setting(self):
        return dict(zip(self.policy[::2], self.policy[1::2]))


def split_option(word):
    """Name, file and the text behind the last @, which may be empty."""
    name, equals, rest = word.partition("=")
    file, at, policy = rest.rpartition("@")
    if not at:
        file, policy = rest, ""
    if not name or not equals or not file:
        raise argparse.ArgumentTypeError(f"'{word}': {FORM}")
    return name, file, policy


def parse_policy(word, policy):
    kind, is_threshold, value = policy.rpartition("=")
    if is_threshold and kind != "threshold":
        raise argparse.ArgumentTypeError(f"'{word}': {FORM}")
    try:
        if not 0 <= float(value) <= 1:
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{word}': '{value}' is no number from 0 to 1") from None
    return [kind or "budget", value]


def parse_skim(word):
    name, file, policy = split_option(word)
    return Skim(name, file, parse_policy(word, policy) if policy else [])


def parse_skim_list(word):
    """The same with several budgets and thresholds: NAME=FILE@0.1,0.2,threshold=0.5; one Skim for each."""
    name, file, policies = split_option(word)
    if not policies:
        return [Skim(name, file, [])]
    return [Skim(f"{name}, {describe_policy(policy)}", file, policy)
            for policy in (parse_policy(word, one) for one in policies.split(","))]


def describe_policy(policy):
    return " ".join(policy)


def find_dense_lstm(models, set_name):
    """The file of the first dense LSTM among the --skim models: others run its weights."""
    for path in (model.path(set_name) for model in models):
        if path.is_file() and ModelFile(path).is_dense_lstm():
            return path
    raise Missing("none of the --skim models is a dense LSTM (skim train --reader dense) whose weights it could take")
