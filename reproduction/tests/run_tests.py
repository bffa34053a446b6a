#!/usr/bin/env python3
"""Runs the tests of the reproduction. They need no data, no network and no built program.

usage: run_tests.py [TEST...]   as unittest names them: test_rows, test_rows.Loading, ...
"""
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]
# The stand-in for skim, which the tests start a hundred times, finds this interpreter and no slower wrapper of it.
os.environ["PATH"] = os.pathsep.join((str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))

if __name__ == "__main__":
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:] else loader.discover(str(HERE), "test_*.py")
    sys.exit(0 if unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful() else 1)
