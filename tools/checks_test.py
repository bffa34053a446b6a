#!/usr/bin/env python3
"""Shows that each check can fail: a check that never fails checks nothing."""
import pathlib
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).parent.resolve()


class Tree:
    """A small source tree in a folder of its own."""

    def __init__(self, root, files):
        self.root = root
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if text.startswith("#!"):
                path.chmod(0o755)

    def check(self, tool, *arguments):
        run = subprocess.run([TOOLS / tool, *arguments, self.root], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


class Case(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Tree(pathlib.Path(folder.name), files)


class Layers(Case):
    def faults(self, files):
        code, output = self.tree(files).check("check_layers")
        self.assertEqual(code, 1, output)
        return output

    def test_includes_along_the_arrows_pass(self):
        code, output = self.tree({"src/base/a.h": "", "src/text/b.cpp": '#include "base/a.h"\n'}).check("check_layers")
        self.assertEqual(code, 0, output)

    def test_an_include_against_the_arrows_is_named_by_line(self):
        output = self.faults({"src/nets/a.h": "", "src/base/b.cpp": '#include <vector>\n#include "nets/a.h"\n'})
        self.assertIn("src/base/b.cpp:2: base may not include nets", output)

    def test_a_detour_through_the_parent_folder_is_seen(self):
        self.assertIn("base may not include nets",
                      self.faults({"src/nets/a.h": "", "src/base/b.cpp": '#include "../nets/a.h"\n'}))

    def test_foreign_headers_stay_where_they_belong(self):
        for header in ("hwy/highway.h", "nlohmann/json.hpp", "torch/torch.h", "CLI/CLI.hpp", "pybind11/stl.h"):
            self.assertIn("belongs in", self.faults({"src/text/a.cpp": f"#include <{header}>\n"}))

    def test_the_library_does_not_include_test_support(self):
        files = {"tests/support/a.h": "", "src/text/a.cpp": '#include "tests/support/a.h"\n'}
        self.assertIn("only tests", self.faults(files))

    def test_a_folder_without_a_row_is_named(self):
        self.assertIn("src/odd: no row", self.faults({"src/odd/a.h": ""}))


class Docs(Case):
    def faults(self, text, **more):
        code, output = self.tree({"docs/a.md": text, **more}).check("check_docs")
        self.assertEqual(code, 1, output)
        return output

    def test_a_dead_link_is_named_by_line(self):
        self.assertIn("docs/a.md:3: link to gone.md", self.faults("one\n\n[two](gone.md)\n"))

    def test_a_link_to_a_missing_heading_fails(self):
        self.assertIn("no heading", self.faults("# Here\n[x](#there)\n"))

    def test_a_named_file_must_exist(self):
        self.assertIn("src/gone.h", self.faults("See `src/gone.h`.\n"))

    def test_links_to_files_and_headings_pass(self):
        code, output = self.tree({"a.md": "# Two words\n[x](#two-words) [y](docs/b.md) `docs/b.md`\n", "docs/b.md": ""}).check(
            "check_docs")
        self.assertEqual(code, 0, output)

    def test_a_verb_without_documentation_fails(self):
        tree = self.tree({"docs/cli.md": "`skim read`\n", "skim": "#!/bin/sh\nprintf 'Verbs:\\n  read  a\\n  run  b\\n'\n"})
        code, output = tree.check("check_docs", "--skim", tree.root / "skim")
        self.assertEqual((code, output), (1, "docs/cli.md: says nothing of `skim run`\n"))


    def test_results_that_the_report_would_not_write_fail(self):
        tree = self.tree({"docs/cli.md": "`skim read`\n", "reproduction/results.md": "old\n",
                          "reproduction/report": "print('new')\n",
                          "skim": "#!/bin/sh\nprintf 'Verbs:\\n  read  a\\n'\n"})
        code, output = tree.check("check_docs", "--skim", tree.root / "skim")
        self.assertEqual(code, 1)
        self.assertIn("reproduction/results.md: not what reproduction/report", output)
        (tree.root / "reproduction/results.md").write_text("new\n")
        self.assertEqual(tree.check("check_docs", "--skim", tree.root / "skim")[0], 0)


class Format(Case):
    def test_an_unformatted_file_is_named_and_can_be_fixed(self):
        tree = self.tree({"src/a.cpp": "int  main( ){}\n"})
        code, output = tree.check("check_format")
        self.assertEqual(code, 1)
        self.assertIn("src/a.cpp", output)
        tree.check("check_format", "--fix")
        self.assertEqual(tree.check("check_format")[0], 0)


class Packages(Case):
    LIST = "libhwy-dev build hwy/ kernels\n"

    def test_a_header_without_a_package_fails(self):
        code, output = self.tree({"tools/packages.txt": "", "src/a.cpp": "#include <hwy/x.h>\n"}).check("check_packages")
        self.assertEqual(code, 1)
        self.assertIn("src/a.cpp: <hwy/x.h>", output)

    def test_a_package_nobody_uses_fails(self):
        code, output = self.tree({"tools/packages.txt": self.LIST, "src/a.cpp": ""}).check("check_packages")
        self.assertEqual(code, 1)
        self.assertIn("drop libhwy-dev", output)


class Binary(Case):
    def test_a_program_of_another_version_fails(self):
        program = self.tree({"skim": "#!/bin/sh\necho skim 0.0.1\n"}).root / "skim"
        run = subprocess.run([TOOLS / "check_binary", program, "9.9.9"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("9.9.9", run.stderr)


if __name__ == "__main__":
    unittest.main()
