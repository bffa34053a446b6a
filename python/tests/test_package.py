"""Documentation, type stubs and installation of the package."""
import ast
import doctest
import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

import skim
import skim._skim
import support

PACKAGE = support.SOURCE / "python/skim"


def load_tests(loader, tests, pattern):
    """Adds the doctests of the package and of docs/python.md."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    tests.addTests(doctest.DocFileSuite(str(support.SOURCE / "docs/python.md"), module_relative=False, optionflags=flags))
    tests.addTests(doctest.DocTestSuite(skim, optionflags=flags))
    return tests


def members(cls):
    return {name for name in vars(cls) if not name.startswith("_")}


class Stubs(unittest.TestCase):
    def test_the_stub_matches_the_extension_module(self):
        tree = ast.parse((PACKAGE / "_skim.pyi").read_text(encoding="utf-8"))
        described = {node.name: {each.name for each in node.body
                                 if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")}
                     for node in tree.body if isinstance(node, ast.ClassDef)}
        found = {name: members(cls) for name, cls in inspect.getmembers(skim._skim, inspect.isclass)}
        self.assertEqual(found, described)

    def test_all_functions_are_annotated(self):
        for name in ("_errors", "_html", "_model", "_policy", "_reader", "_reading", "_text", "_torch"):
            tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef):
                    bare = [each.arg for each in node.args.args + node.args.kwonlyargs
                            if each.annotation is None and each.arg not in ("self", "cls")]
                    self.assertEqual((bare, node.returns is None), ([], False), f"{name}.{node.name}")
        self.assertTrue((PACKAGE / "py.typed").exists())


class Documents(unittest.TestCase):
    def test_the_manual_covers_the_public_api(self):
        text = (support.SOURCE / "docs/python.md").read_text(encoding="utf-8")
        for name in skim.__all__:
            self.assertIn(name, text)
        for cls in (skim.Model, skim.Reading, skim.SkimReader):
            for member in members(cls):
                self.assertRegex(text, rf"`[^`]*\b{member}\b[^`]*`|\b{member}\(", f"{cls.__name__}.{member}")

    def test_the_readme_example_runs(self):
        (block,) = re.findall(r"^```python\n(.*?)^```", (support.SOURCE / "README.md").read_text(encoding="utf-8"),
                              re.MULTILINE | re.DOTALL)
        done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^(positive|negative) \[.*'wonderful'.*\]$")

    def test_the_example_runs(self):
        example = support.SOURCE / "examples/python/read_reviews.py"
        reviews = support.SOURCE / "examples/reviews/reviews.tsv"
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            done = subprocess.run([sys.executable, example, reviews, "--html", page], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"(?m)^ *\d+ of 10 correct, \d+\.\d % skimmed")
            self.assertIn("skim-reading", page.read_text(encoding="utf-8"))


class Installed(unittest.TestCase):
    """A wheel of the current build: `pip install .` without compiling."""

    def test_a_wheel_is_complete_and_works(self):
        for needed in ("pip", "setuptools", "wheel"):
            if importlib.util.find_spec(needed) is None:
                self.skipTest(f"{needed} is not installed (python3-{needed})")
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index",
                       "--disable-pip-version-check", "--wheel-dir", folder, support.SOURCE]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            (wheel,) = pathlib.Path(folder).glob("*.whl")
            self.assertRegex(wheel.name, rf"^skim-{re.escape(skim.__version__)}-cp3\d+-cp3\d+-linux_\w+\.whl$")
            with zipfile.ZipFile(wheel) as archive:
                names = {name for name in archive.namelist() if name.startswith("skim/")}
                archive.extractall(folder)
            sources = {f"skim/{path.name}" for path in PACKAGE.iterdir() if path.is_file()}
            self.assertEqual({name for name in names if "_skim.cpython" not in name}, sources | {"skim/default.skim"})
            self.assertEqual(len(names), len(sources) + 2)
            self.check_import_from(folder)

    def check_import_from(self, folder):
        code = "import skim; print(skim.__file__); print(skim.Model.load().read('a wonderful film').label)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder,
                              env={**os.environ, "PYTHONPATH": folder})
        self.assertEqual(done.stderr, "")
        location, label = done.stdout.split()
        self.assertTrue(location.startswith(folder))
        self.assertIn(label, support.model("default").labels)


if __name__ == "__main__":
    unittest.main()
