#!/usr/bin/env python3
"""Tests the page in headless Chromium against `skim serve`; saves screenshots in the build folder.

usage: SKIM=build/release/skim SKIM_MAKE_DATA=build/release/make_data tests/browser/run_tests.py [FILE_test.mjs...]

playwright-core controls Debian's Chromium, and axe-core checks accessibility; npm installs both into the build folder.
Exits with 77 if one of them is not available.
"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("SKIM_BUILD", ROOT / "build/release")).resolve()
OUT = BUILD / "browser"
SKIPPED = 77
# Pinned: versions that work together.
PACKAGES = {"playwright-core": "1.65.0", "axe-core": "4.14.0"}
NPM_TIMEOUT = 120

# The models to serve besides the built-in one, with the arguments of make_data.
PLANTED = {
    "deep": ["--vocab-size", "2000", "--bidirectional", "yes", "--num-layers", "2"],
    "three": ["--vocab-size", "2000", "--skim-size", "10,5"],
    "dense": ["--vocab-size", "2000", "--reader", "dense"],
    "span": ["--net", "span", "--hidden-size", "50", "--skim-size", "5", "--bidirectional", "yes"],
    "cloze": ["--net", "cloze", "--hidden-size", "50", "--skim-size", "5"],
    "bidaf": ["--net", "bidaf", "--hidden-size", "30", "--skim-size", "3", "--embedding-size", "30"],
}


class MissingRequirement(Exception):
    """A missing requirement of the tests."""


def program(*names):
    for name in names:
        if found := shutil.which(name):
            return found
    raise MissingRequirement(f"{names[0]} is not installed (tools/install_packages browser)")


def installed(package):
    return (OUT / "node_modules" / package / "package.json").exists()


def install_packages():
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items() if not installed(name)]
    if not wanted:
        return
    command = [program("npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(OUT), *wanted]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=NPM_TIMEOUT)
    except subprocess.TimeoutExpired:
        raise MissingRequirement("npm timed out") from None
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise MissingRequirement(f"npm cannot install {' '.join(wanted)}: {lines[0] if lines else 'it failed'}")


def make_models(planted):
    folder = OUT / "models"
    folder.mkdir(exist_ok=True)
    models = [str(ROOT / "models/default.skim")]
    for name, arguments in PLANTED.items():
        models.append(str(folder / f"{name}.skim"))
        subprocess.run([planted, *arguments, "--model", models[-1]], check=True)
    return models


def copy_page():
    """Copies web/ next to a package.json that makes node treat .js files as modules; web/ itself holds served files only."""
    copy = OUT / "web"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "web", copy)
    (copy / "package.json").write_text('{"type": "module"}\n', encoding="utf-8")
    return copy


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    screenshots = OUT / "screenshots"
    screenshots.mkdir(exist_ok=True)
    try:
        node = program("node", "nodejs")
        chromium = program("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
        install_packages()
    except MissingRequirement as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    environment = os.environ | {
        "SKIM": os.path.abspath(os.environ["SKIM"]), "SKIM_WEB": str(copy_page()), "SKIM_CHROMIUM": chromium,
        "SKIM_SERVED": "\n".join(make_models(os.environ["SKIM_MAKE_DATA"])), "SKIM_SCREENSHOTS": str(screenshots),
        "SKIM_NODE_MODULES": str(OUT / "node_modules")}
    files = sys.argv[1:] or sorted(str(path) for path in HERE.glob("*_test.mjs"))
    status = 0
    for file in files:
        status |= subprocess.run([node, file], env=environment).returncode
    print(f"screenshots are in {screenshots}")
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
