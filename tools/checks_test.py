#!/usr/bin/env python3
"""Tests of the checks: each one detects the fault that it is for."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).parent.resolve()


class Tree:
    """A small source tree in a temporary directory."""

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

    def test_accepts_allowed_includes(self):
        code, output = self.tree({"src/base/a.h": "", "src/text/b.cpp": '#include "base/a.h"\n'}).check("check_layers")
        self.assertEqual(code, 0, output)

    def test_reports_a_forbidden_include_by_line(self):
        output = self.faults({"src/nets/a.h": "", "src/base/b.cpp": '#include <vector>\n#include "nets/a.h"\n'})
        self.assertIn("src/base/b.cpp:2: base may not include nets", output)

    def test_resolves_relative_includes(self):
        self.assertIn("base may not include nets",
                      self.faults({"src/nets/a.h": "", "src/base/b.cpp": '#include "../nets/a.h"\n'}))

    def test_restricts_third_party_headers(self):
        for header in ("hwy/highway.h", "nlohmann/json.hpp", "simdjson.h", "torch/torch.h", "CLI/CLI.hpp", "pybind11/stl.h"):
            self.assertIn("is allowed in", self.faults({"src/text/a.cpp": f"#include <{header}>\n"}))

    def test_only_tests_may_include_test_support(self):
        files = {"tests/support/a.h": "", "src/text/a.cpp": '#include "tests/support/a.h"\n'}
        self.assertIn("only tests", self.faults(files))

    def test_reports_unknown_directories_and_public_headers(self):
        self.assertIn("src/odd/a.h: odd is not in ALLOWED", self.faults({"src/odd/a.h": ""}))
        self.assertIn("skim/odd.h is not in ALLOWED", self.faults({"include/skim/odd.h": ""}))

    def test_each_public_header_is_checked_separately(self):
        headers = {"include/skim/result.h": "", "include/skim/session.h": ""}
        code, output = self.tree({**headers, "src/base/a.h": '#include "skim/result.h"\n'}).check("check_layers")
        self.assertEqual(code, 0, output)
        self.assertIn("src/base/a.h:1: base may not include skim/session.h",
                      self.faults({**headers, "src/base/a.h": '#include "skim/session.h"\n'}))
        self.assertIn("skim/result.h may not include skim/session.h",
                      self.faults({**headers, "include/skim/result.h": '#include "skim/session.h"\n'}))
        code, output = self.tree({**headers, "python/a.cpp": "#include <skim/session.h>\n"}).check("check_layers")
        self.assertEqual(code, 0, output)

    def test_exact_reports_unused_dependencies(self):
        tree = self.tree({"include/skim/result.h": "", "src/base/a.h": '#include "skim/result.h"\n'})
        code, output = tree.check("check_layers", "--exact")
        self.assertEqual(code, 1)
        self.assertIn("text may include base, but no file does", output)
        self.assertNotIn("base may include skim/result.h", output)


class Docs(Case):
    def faults(self, text, **more):
        code, output = self.tree({"docs/a.md": text, **more}).check("check_docs")
        self.assertEqual(code, 1, output)
        return output

    def test_reports_a_dead_link_by_line(self):
        self.assertIn("docs/a.md:3: link to gone.md", self.faults("one\n\n[two](gone.md)\n"))

    def test_reports_a_link_to_a_missing_heading(self):
        self.assertIn("no such heading", self.faults("# Here\n[x](#there)\n"))

    def test_reports_a_path_that_does_not_exist(self):
        self.assertIn("src/gone.h", self.faults("See `src/gone.h`.\n"))

    def test_accepts_links_to_files_and_headings(self):
        code, output = self.tree({"a.md": "# Two words\n[x](#two-words) [y](docs/b.md) `docs/b.md`\n", "docs/b.md": ""}).check(
            "check_docs")
        self.assertEqual(code, 0, output)

    def test_reports_an_undocumented_verb(self):
        tree = self.tree({"docs/cli.md": "`skim read`\n", "skim": "#!/bin/sh\nprintf 'Verbs:\\n  read  a\\n  run  b\\n'\n"})
        code, output = tree.check("check_docs", "--skim", tree.root / "skim")
        self.assertEqual((code, output), (1, "docs/cli.md: does not document `skim run`\n"))


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
    def test_reports_and_fixes_an_unformatted_file(self):
        tree = self.tree({"src/a.cpp": "int  main( ){}\n"})
        code, output = tree.check("check_format")
        self.assertEqual(code, 1)
        self.assertIn("src/a.cpp", output)
        tree.check("check_format", "--fix")
        self.assertEqual(tree.check("check_format")[0], 0)


class Packages(Case):
    LIST = "libhwy-dev build hwy/ kernels\n"

    def test_reports_a_header_without_a_package(self):
        code, output = self.tree({"tools/packages.txt": "", "src/a.cpp": "#include <hwy/x.h>\n"}).check("check_packages")
        self.assertEqual(code, 1)
        self.assertIn("src/a.cpp: <hwy/x.h>", output)

    def test_reports_an_unused_package(self):
        code, output = self.tree({"tools/packages.txt": self.LIST, "src/a.cpp": ""}).check("check_packages")
        self.assertEqual(code, 1)
        self.assertIn("remove libhwy-dev", output)


class Binary(Case):
    def test_reports_a_wrong_version(self):
        program = self.tree({"skim": "#!/bin/sh\necho skim 0.0.1\n"}).root / "skim"
        run = subprocess.run([TOOLS / "check_binary", program, "9.9.9"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("9.9.9", run.stderr)


class Fuzz(Case):
    LOG = """INFO: Loaded 1 modules   (541 inline 8-bit counters): 541 [0x1, 0x2),
#4 INITED cov: 40 ft: 80 corp: 3/9b exec/s: 0 rss: 27Mb
#99 DONE   cov: 273 ft: 1397 corp: 315/22Kb lim: 512 exec/s: 46052 rss: 30Mb
stat::number_of_executed_units: 99
"""

    @classmethod
    def setUpClass(cls):
        sys.dont_write_bytecode = True
        loader = importlib.machinery.SourceFileLoader("fuzz_tool", str(TOOLS / "fuzz"))
        cls.tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_tool", loader))
        loader.exec_module(cls.tool)

    def test_adds_up_the_figures_of_logs(self):
        totals = self.tool.Totals()
        totals.add_log(self.LOG)
        totals.add_log(self.LOG)
        self.assertEqual(totals.executions, 198)
        self.assertEqual((totals.edges, totals.all_edges, totals.features, totals.inputs), (273, 541, 1397, 315))

    def test_packs_equal_inputs_to_equal_bytes_and_unpacks_them(self):
        tree = self.tree({"inputs/b": "two", "inputs/a": "one", "build/fuzzers/x_fuzz": "#!/bin/sh\n"})
        packed = tree.root / "corpus/x.tar.xz"
        self.tool.pack(tree.root / "inputs", packed)
        first = packed.read_bytes()
        (tree.root / "inputs/a").rename(tree.root / "inputs/c")
        self.tool.pack(tree.root / "inputs", packed)
        self.assertEqual(packed.read_bytes(), first)
        self.tool.KEPT = packed.parent
        fuzzer = self.tool.Fuzzer(tree.root / "build", tree.root / "build/fuzzers/x_fuzz")
        fuzzer.unpack()
        self.assertEqual({path.name: path.read_text() for path in fuzzer.kept.iterdir()}, {"0000": "one", "0001": "two"})

    def test_reports_a_crash_and_an_unknown_name(self):
        script = "#!/bin/sh\necho violated law\nexit 77\n"
        root = self.tree({"fuzzers/x_fuzz": script}).root
        command = [TOOLS / "fuzz", "--seconds", "1", "--build", root]
        run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("FAILED x, see", run.stdout)
        self.assertIn("violated law", run.stdout)
        run = subprocess.run([*command, "y"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("no fuzzer 'y'; there are: x", run.stderr)


if __name__ == "__main__":
    unittest.main()
