#!/usr/bin/env python3
"""Runs the real program on planted models, from outside, as a user would.

usage: run_tests.py [--skim PROGRAM] [--planted PROGRAM] [TEST...]

The programs can also be named by the environment variables SKIM and SKIM_MAKE_DATA. TEST is a name as
unittest takes it: test_run, test_run.Streaming, ...
"""
import pathlib
import sys

import support

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import run_folder  # noqa: E402

if __name__ == "__main__":
    sys.exit(run_folder.main(__doc__, HERE, support.prepared))
