#!/usr/bin/env python3
"""Runs the tests of the Python package: `run_tests.py [TEST...]`, where TEST is a unittest name.

Needs SKIM, SKIM_MAKE_DATA, SKIM_SOURCE and SKIM_BUILD, and the package on PYTHONPATH, as ctest sets them.
"""
import pathlib
import sys
import unittest

import support


def main():
    with support.prepared():
        loader = unittest.defaultTestLoader
        here = str(pathlib.Path(__file__).parent)
        suite = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(here, "test_*.py")
        result = unittest.TextTestRunner(verbosity=1).run(suite)
    for test, reason in result.skipped:
        print(f"skipped {test}: {reason}")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
