"""The part of `pip install .` that pyproject.toml cannot say: the version, and that cmake builds the compiled half.

SKIM_BUILD names the folder to build in; one in which SKIM_PYTHON is on already is used as it is.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).parent.resolve()


def version():
    """include/skim/version.h is the one place that states it."""
    header = (SOURCE / "include/skim/version.h").read_text(encoding="utf-8")
    return re.search(r'define SKIM_VERSION "([0-9.]+)"', header)[1]


def pybind11_options():
    """Where pip has put pybind11, if it has; cmake looks in the system's folders by itself."""
    try:
        import pybind11
    except ImportError:
        return []
    return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]


class BuildWithCMake(build_ext):
    def run(self):
        if getattr(self, "editable_mode", False) or self.inplace:
            sys.exit("an editable install is not offered: build with -DSKIM_PYTHON=ON and set PYTHONPATH to build/release/python")
        build = pathlib.Path(os.environ.get("SKIM_BUILD", SOURCE / "build" / f"pip-{sys.implementation.cache_tag}"))
        if not (build / "python" / "skim").is_dir():
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", SOURCE, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DSKIM_PYTHON=ON",
                            "-DSKIM_TESTS=OFF", "-DCMAKE_UNITY_BUILD=ON", f"-DPython_EXECUTABLE={sys.executable}",
                            *pybind11_options()], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "skim_python", "--parallel", str(os.cpu_count() or 1)],
                       check=True)
        shutil.copytree(build / "python" / "skim", pathlib.Path(self.build_lib) / "skim", dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("__pycache__"))


# Where setup.cfg puts things.
(SOURCE / "build").mkdir(exist_ok=True)
# The extension has no sources here; naming it makes the wheel one for this kind of machine.
setup(version=version(), ext_modules=[Extension("skim._skim", [])], cmdclass={"build_ext": BuildWithCMake})
