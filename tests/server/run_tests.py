#!/usr/bin/env python3
"""Starts `skim serve` on a free port and tests it over sockets, with valid and invalid clients.

usage: run_tests.py [--skim PROGRAM] [--planted PROGRAM] [TEST...]

The environment variables SKIM and SKIM_MAKE_DATA can also name the programs. TEST is a unittest name:
test_routes, test_limits.Overload, ...
"""
import pathlib
import sys

import support

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import run_folder  # noqa: E402

if __name__ == "__main__":
    sys.exit(run_folder.main(__doc__, HERE, support.prepared))
