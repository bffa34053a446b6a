#!/usr/bin/env python3
"""Starts the real server on a free port and asks it over sockets, as clients good and bad would.

usage: run_tests.py [--skim PROGRAM] [--planted PROGRAM] [TEST...]

The programs can also be named by the environment variables SKIM and SKIM_PLANTED. TEST is a name as
unittest takes it: test_routes, test_limits.Overload, ...
"""
import pathlib
import sys

import support

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import run_folder  # noqa: E402

if __name__ == "__main__":
    sys.exit(run_folder.main(__doc__, HERE, support.prepared))
