"""Runs the tests of a folder against the real programs, named by options or by SKIM and SKIM_MAKE_DATA."""
import argparse
import os
import pathlib
import unittest


def main(about, folder, prepared):
    """`prepared(skim, planted)` makes what the tests need and takes it away again. Returns the exit code."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skim", default=os.environ.get("SKIM"))
    parser.add_argument("--planted", default=os.environ.get("SKIM_MAKE_DATA"))
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    if not options.skim or not options.planted:
        parser.error("name the programs with --skim and --planted")
    with prepared(options.skim, options.planted):
        loader = unittest.defaultTestLoader
        here = str(pathlib.Path(folder))
        suite = loader.loadTestsFromNames(options.tests) if options.tests else loader.discover(here, "test_*.py")
        result = unittest.TextTestRunner(verbosity=1).run(suite)
    return 0 if result.wasSuccessful() else 1
