"""Builds the C++ workers and finds a Python interpreter with a given module."""
import os
import pathlib
import subprocess

from sets import Fault

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
INSTALL = "tools/install_packages texts"


class Missing(Exception):
    """Reason why a peer is not available."""


def one_thread(**more):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS")
    # Nothing is written beside the sources.
    return dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **{name: "1" for name in names}, **more)


def is_newer(program, sources):
    return program.exists() and all(program.stat().st_mtime > source.stat().st_mtime for source in sources)


def build(program, source, arguments, needs):
    """Compiles unless done since. `needs` are other files that it is made of."""
    if is_newer(program, [source, HERE / "worker.h", *needs]):
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    command = ["g++", "-std=c++20", "-O2", source, *arguments, "-o", program]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise Missing(f"{source.name} does not compile: {errors[0] if errors else 'no message'}")
    return program


def fasttext_worker(work):
    if not pathlib.Path("/usr/include/fasttext/fasttext.h").exists():
        raise Missing(f"libfasttext-dev is not installed: {INSTALL}")
    return build(work / "bin/fasttext_worker", HERE / "fasttext_worker.cpp", ["-lfasttext"], [])


def skim_worker(work, folder):
    """Links the library of the build folder, as a user would: with the public headers alone."""
    library = folder / "libskim.a"
    if not library.exists():
        raise Fault(f"{library} is missing: run cmake --preset release && cmake --build --preset release, or name another "
                    "build folder with --build")
    return build(work / "bin/skim_worker", HERE / "skim_worker.cpp",
                 [f"-I{ROOT / 'include'}", library, "-lhwy", "-lsimdjson", "-lutf8proc", "-lpthread"], [library])


def python_with(module):
    # Debian's modules belong to Debian's Python, which need not be the first on the path.
    for python in ("/usr/bin/python3", "python3"):
        try:
            if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
                return python
        except FileNotFoundError:
            continue
    package = {"sklearn": "python3-sklearn", "torch": "python3-torch"}[module]
    raise Missing(f"{package} is not installed: {INSTALL}")
