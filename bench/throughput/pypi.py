"""A virtual environment in the work folder, for peers that only PyPI has."""
import subprocess
import sys

from programs import Missing

# Module to the packages that bring it, tried in this order: fasttext has no wheels and is compiled, which may fail.
PACKAGES = {"fasttext": ("fasttext-wheel", "fasttext"), "onnxruntime": ("onnxruntime",)}
# predict of fastText's package calls numpy.array(..., copy=False), which NumPy 2 rejects.
NUMPY = "numpy<2"


class Venv:
    def __init__(self, work):
        self.folder = work / "venv"
        self.python = self.folder / "bin/python"

    def has(self, module):
        return self.python.exists() and run(self.python, "-c", f"import {module}, numpy").returncode == 0

    def install(self, module):
        """Does nothing when the module is there; raises Missing when it cannot be had."""
        if self.has(module):
            return
        if not self.python.exists():
            check(run(sys.executable, "-m", "venv", self.folder), "no virtual environment can be made")
        print(f"installing {module} into {self.folder} ...", file=sys.stderr, flush=True)
        done = None
        for package in PACKAGES[module]:
            done = run(self.python, "-m", "pip", "install", "--quiet", NUMPY, package)
            if done.returncode == 0 and self.has(module):
                return
        check(done, f"pip install {' or '.join(PACKAGES[module])} failed")
        raise Missing(f"{PACKAGES[module][-1]} is installed but cannot be imported")

    def python_with(self, module):
        if not self.has(module):
            raise Missing(f"{PACKAGES[module][0]} of PyPI is not installed: bench/throughput/run prepare")
        return self.python

    def version(self, module):
        """Of the package that is installed, or None."""
        for package in PACKAGES[module]:
            command = f"import importlib.metadata as m; print(m.version('{package}'))"
            if self.python.exists() and (done := run(self.python, "-c", command)).returncode == 0:
                return f"{package} {done.stdout.strip()}"
        return None


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def check(done, message):
    if done.returncode:
        lines = (done.stderr + done.stdout).strip().splitlines() or ["no message"]
        reason = next((line for line in lines if "error" in line.lower()), lines[-1])
        raise Missing(f"{message}: {reason.strip()}")
