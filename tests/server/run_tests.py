#!/usr/bin/env python3
"""Starts the real server on a free port and asks it over sockets, as clients good and bad would.

usage: run_tests.py [--skim PROGRAM] [--planted PROGRAM] [TEST...]

The programs can also be named by the environment variables SKIM and SKIM_PLANTED. TEST is a name as
unittest takes it: test_routes, test_limits.Overload, ...
"""
import argparse
import os
import pathlib
import sys
import unittest

import support


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skim", default=os.environ.get("SKIM"))
    parser.add_argument("--planted", default=os.environ.get("SKIM_PLANTED"))
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    if not options.skim or not options.planted:
        parser.error("name the programs with --skim and --planted")
    with support.prepared(options.skim, options.planted):
        loader = unittest.defaultTestLoader
        here = str(pathlib.Path(__file__).parent)
        suite = loader.loadTestsFromNames(options.tests) if options.tests else loader.discover(here, "test_*.py")
        result = unittest.TextTestRunner(verbosity=1).run(suite)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
