"""skim upgrade: rewrites a model file in the current format version."""
import pathlib
import shutil
import subprocess

import support
from support import SkimTest

# A small model of format version 1: GRU, two skim sizes, both directions, int8.
VERSION_1 = pathlib.Path(__file__).resolve().parent / "version1.skim"


def metadata_version(path):
    """The format version in the header of a model file."""
    header = pathlib.Path(path).read_bytes()[:400].decode(errors="replace")
    return header.split('"format_version":"', 1)[1].split('"', 1)[0]


class Upgrade(SkimTest):
    def read(self, model):
        out = self.json("read", "--json", "--model", model, "some words of a text")
        del out["microseconds"], out["warm_microseconds"]
        return out

    def test_rewrites_an_old_file_in_place(self):
        name = support.path("old.skim")
        shutil.copy(VERSION_1, name)
        before = self.read(name), self.json("info", name, "--json")["spec"]
        self.assertEqual(metadata_version(name), "1")
        out = self.json("upgrade", name, "--json")
        self.assertEqual((out["model"], out["changed"]), (name, True))
        self.assertNotEqual(metadata_version(name), "1")
        self.assertEqual((self.read(name), self.json("info", name, "--json")["spec"]), before)
        self.ok("verify", name)
        self.assertFalse(self.json("upgrade", name, "--json")["changed"])

    def test_out_leaves_the_original(self):
        new = support.path("upgraded.skim")
        before = VERSION_1.read_bytes()
        self.assertIn("upgraded to the current format version", self.ok("upgrade", VERSION_1, "--out", new))
        self.assertEqual(VERSION_1.read_bytes(), before)
        self.assertEqual(self.read(new), self.read(VERSION_1))

    def test_current_file_is_not_changed(self):
        name, copy = support.path("current.skim"), support.path("current-copy.skim")
        shutil.copy(support.MODEL, name)
        before = pathlib.Path(name).read_bytes()
        self.assertIn("has the current format version already", self.ok("upgrade", name))
        self.assertEqual(pathlib.Path(name).read_bytes(), before)
        self.assertFalse(self.json("upgrade", name, "--out", copy, "--json")["changed"])
        self.assertEqual(pathlib.Path(copy).read_bytes(), before)

    def test_does_not_change_a_built_in_model(self):
        root = support.FOLDER / "upgrade-built-in"
        root.mkdir()
        program = shutil.copy(support.SKIM, root)
        shutil.copy(VERSION_1, root / "default.skim")
        done = subprocess.run([program, "upgrade", "default"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--out FILE", done.stderr)
        self.assertEqual((root / "default.skim").read_bytes(), VERSION_1.read_bytes())
        done = subprocess.run([program, "upgrade", "default", "--out", root / "mine.skim"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_errors_are_reported(self):
        self.fails("upgrade", code=2, says="FILE is required")
        self.fails("upgrade", "/no/such.skim", says="/no/such.skim")
        self.fails("upgrade", VERSION_1, "--out", "/no/such/x.skim", says="/no/such")
