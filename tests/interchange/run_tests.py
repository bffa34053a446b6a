#!/usr/bin/env python3
"""Compares import and export with other programs: ONNX Runtime, PyTorch, NumPy.

usage: run_tests.py PART...

A part is a file here without `test_` and `.py`, or a class in it: onnx.OnnxRuntime. Needs SKIM, SKIM_MAKE_DATA and
SKIM_SOURCE, as ctest sets them. Exits with 77 when a program to compare with is not available.
"""
import os
import subprocess
import sys
import unittest

NEEDS = {"weights": "numpy", "torch": "torch"}
SKIPPED = 77


def can_import(python, module):
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    return subprocess.run([python, "-c", look]).returncode == 0


def reexec_with_suitable_python(parts):
    """Debian's packages belong to Debian's Python, which need not be the first on the PATH."""
    for module in {NEEDS[name] for name in (part.split(".")[0] for part in parts) if name in NEEDS}:
        if can_import(sys.executable, module):
            continue
        debian = "/usr/bin/python3"
        if os.path.realpath(sys.executable) != os.path.realpath(debian) and can_import(debian, module):
            os.execv(debian, [debian, *sys.argv])
        print(f"skipped: python3-{module} is not installed")
        sys.exit(SKIPPED)


def main():
    reexec_with_suitable_python(sys.argv[1:])
    suite = unittest.defaultTestLoader.loadTestsFromNames([f"test_{part}" for part in sys.argv[1:]])
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if not result.wasSuccessful() or suite.countTestCases() == 0:
        return 1
    return SKIPPED if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
