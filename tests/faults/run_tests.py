#!/usr/bin/env python3
"""Runs skim with a fault in one of its calls into the system: memory, files, sockets, threads.

usage: run_tests.py [--all | --points N] [--limit N] [--skim PROGRAM] [--make-data PROGRAM] [--library FILE] [COMMAND...]

Every command runs once to count its calls per class, then once per fault: the n-th call fails, or the n-th and all
later ones. By default up to --points calls per class, evenly spaced, are tried; --all tries every call. --limit bounds
the number of faults per command. COMMAND is read, run, tune, quantize, serve or train; by default all but train.
Whatever fails, the command must not crash or hang, must say why on standard error, and must leave every file as it was
or complete; a server must answer what comes after.

The programs are also named by the environment variables SKIM, SKIM_MAKE_DATA and SKIM_FAULTS.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import commands
import faults
import serving

MAX_SHOWN = 20


def try_all(command, options, pool):
    """Tries the faults of a command; prints what goes wrong and returns how many times something does."""
    begin = time.monotonic()
    counts = command.discover(options.library)
    chosen = faults.select(counts, None if options.all else options.points, command.kinds)
    chosen = chosen[::-(-len(chosen) // options.limit)]
    wrong = []
    for fault, found in zip(chosen, pool.map(lambda each: command.try_fault(options.library, each), chosen)):
        wrong += [f"{command.name}: SKIM_FAULT={fault}: {text}\n  {command}" for text in found]
    command.close()
    tried = collections.Counter(fault.kind for fault in chosen)
    figures = ", ".join(f"{kind} {tried[kind]} of {counts[kind]}" for kind in counts if tried[kind])
    print(f"{command.name}: {len(chosen)} faults, {len(wrong)} problems, {time.monotonic() - begin:.1f} s ({figures})",
          flush=True)
    shown = wrong[:MAX_SHOWN] + ([f"and {len(wrong) - MAX_SHOWN} more"] if len(wrong) > MAX_SHOWN else [])
    print("".join(line + "\n" for line in shown), end="", flush=True)
    return len(wrong)


def make_inputs(make_data, folder, names):
    subprocess.run([make_data, "--model", folder / "model.skim", "--vocab-size", "200", "--data", folder / "data.tsv",
                    "--examples", "8"], check=True)
    if "train" in names:
        subprocess.run([make_data, "planted", "--into", folder, "--train", "40", "--dev", "10", "--test", "1", "--words",
                        "8"], check=True, stdout=subprocess.DEVNULL)


def select_commands(options, folder):
    skim = os.path.abspath(options.skim)
    model, data = folder / "model.skim", folder / "data.tsv"
    known = commands.make_commands(skim, model, data) + [serving.Serving(skim, model)]
    if "train" in options.commands:
        known.append(commands.make_train(skim + "-train", model, folder))
    by_name = {each.name: each for each in known}
    return [by_name[name] for name in options.commands or by_name]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--limit", type=int, default=1_000_000)
    parser.add_argument("--skim", default=os.environ.get("SKIM"))
    parser.add_argument("--make-data", default=os.environ.get("SKIM_MAKE_DATA"))
    parser.add_argument("--library", default=os.environ.get("SKIM_FAULTS"))
    parser.add_argument("commands", nargs="*", metavar="COMMAND")
    options = parser.parse_args()
    if not (options.skim and options.make_data and options.library):
        parser.error("name the programs with --skim, --make-data and --library")
    options.library = os.path.abspath(options.library)
    return options


def main():
    options = parse_options()
    problems = 0
    with tempfile.TemporaryDirectory(prefix="skim-faults-") as name, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = pathlib.Path(name)
        make_inputs(os.path.abspath(options.make_data), folder, options.commands)
        for command in select_commands(options, folder):
            problems += try_all(command, options, pool)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
