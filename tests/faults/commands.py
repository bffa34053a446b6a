"""Commands that run to their end, with a fault in one of their calls."""
import contextlib
import pathlib
import queue
import re
import shutil
import subprocess
import tempfile

import faults

# Seconds after which a command counts as hanging. None takes a tenth of it.
TIMEOUT = 120


class Command:
    """A command line, the files it starts with, and the files it writes."""

    def __init__(self, name, program, arguments, files, outputs=(), kinds=None, own=False, resume=()):
        self.name, self.arguments, self.kinds, self.own = name, [program, *map(str, arguments)], kinds, own
        self.files = {file: pathlib.Path(path).read_bytes() for file, path in files.items()}
        self.outputs = outputs
        # Options that continue after a failure, from files that a failure may leave behind.
        self.resume = list(resume)
        self.folders = queue.SimpleQueue()

    def __str__(self):
        return " ".join(self.arguments)

    @contextlib.contextmanager
    def folder(self):
        """A folder with the files. Folders are reused."""
        try:
            folder = self.folders.get_nowait()
        except queue.Empty:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="skim-faults-"))
        for file, content in self.files.items():
            if not (folder / file).exists() or (folder / file).read_bytes() != content:
                (folder / file).write_bytes(content)
        for path in folder.iterdir():
            if path.name not in self.files:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        try:
            yield folder
        finally:
            self.folders.put(folder)

    def close(self):
        while not self.folders.empty():
            shutil.rmtree(self.folders.get())

    def run(self, folder, more=(), **environment):
        done = subprocess.run([*self.arguments, *more], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIMEOUT, env=faults.environment(own=self.own, **environment))
        done.out = re.sub(rb'("(?:warm_)?microseconds"|"seconds"): ?[0-9.e+-]+', rb"\1:0", done.stdout)
        return done

    def discover(self, library):
        """Runs it without a fault. Returns the number of calls per class."""
        with self.folder() as folder, tempfile.NamedTemporaryFile(prefix="skim-counts-") as counts:
            done = self.run(folder, library=library, counts=counts.name)
            assert done.returncode == 0, (str(self), done.stderr)
            self.expected_out = done.out
            self.expected = {name: (folder / name).read_bytes() for name in self.outputs}
            self.names = {path.name for path in folder.iterdir()}
            return faults.read_counts(counts.name)

    def try_fault(self, library, fault):
        """Runs it with a fault. Returns what is wrong."""
        with self.folder() as folder:
            try:
                done = self.run(folder, library=library, fault=fault)
            except subprocess.TimeoutExpired:
                return [f"hangs for {TIMEOUT} s"]
            wrong = self.judge(folder, fault, done)
            if done.returncode == 1 and self.resume and not wrong:
                wrong = self.judge_resumed(folder, self.run(folder, self.resume, library=library))
            return wrong

    def judge(self, folder, fault, done):
        if done.returncode not in (0, 1):
            return [f"exit code {done.returncode}: {done.stderr[-500:]}"]
        wrong = []
        succeeded = done.returncode == 0
        if not succeeded and b"skim" not in done.stderr:
            wrong.append(f"fails without a message: {done.stderr[-500:]}")
        if not succeeded and fault.kind in faults.HARMLESS:
            wrong.append(f"fails: {done.stderr[-500:]}")
        if succeeded and done.out != self.expected_out:
            wrong.append(f"succeeds with another output: {done.out[-500:]}")
        for name in self.outputs:
            wrong += self.judge_file(folder / name, succeeded)
        left = {path.name for path in folder.rglob("*") if path.name.endswith(".tmp")}
        left |= {path.name for path in folder.iterdir()} - self.names if not self.resume else set()
        return wrong + [f"leaves {name}" for name in left]

    def judge_file(self, path, succeeded):
        """A file is the old one or the new one, and after success the new one."""
        content = path.read_bytes() if path.exists() else None
        if content == self.expected[path.name] or (not succeeded and content == self.files.get(path.name)):
            return []
        size = "no file" if content is None else f"{len(content)} bytes"
        return [f"{path.name} is neither the old nor the new file ({size})" if not succeeded else
                f"succeeds, but {path.name} is not the new file ({size})"]

    def judge_resumed(self, folder, done):
        if done.returncode != 0:
            return [f"cannot be resumed: {done.stderr[-500:]}"]
        return [wrong for name in self.outputs for wrong in self.judge_file(folder / name, True)]


def make_commands(skim, model, data):
    """The commands without a server. `skim` is absolute; `data` has labelled texts."""
    inputs = {"model.skim": model, "data.tsv": data}
    in_place = ("model.skim",)
    return [
        Command("read", skim, ["read", "--json", "--model", "model.skim", "a good film, not a bad one"], inputs),
        Command("run", skim, ["run", "--threads", 2, "--model", "model.skim", "data.tsv"], inputs),
        Command("tune", skim, ["tune", "--threads", 2, "--points", 3, "--model", "model.skim", "data.tsv"], inputs,
                in_place),
        Command("quantize", skim, ["quantize", "model.skim", "--weights", "int8", "--out", "small.skim"],
                {**inputs, "small.skim": model}, ("small.skim",)),
    ]


def make_train(skim_train, model, folder):
    """Training. LibTorch may abort when its calls fail, so only the program's own calls on files do."""
    inputs = {"train.tsv": folder / "train.tsv", "dev.tsv": folder / "dev.tsv", "model.skim": model}
    options = {"--train": "train.tsv", "--dev": "dev.tsv", "--out": "model.skim", "--hidden-size": 8, "--skim-size": 2,
               "--embedding-size": 8, "--embeddings": "none", "--buckets": 0, "--max-steps": 6, "--eval-steps": 3, "--threads": 1, "--checkpoint-seconds": 0.001,
               "--log": "log.jsonl"}
    return Command("train", skim_train, ["--json", *(part for pair in options.items() for part in pair)], inputs,
                   ("model.skim",), ("mmap", "open", "read", "write", "fsync", "rename", "stat", "interrupt", "partial"),
                   own=True, resume=("--resume",))
