"""Finds the implementations that this machine can run, and builds their workers into build/peers."""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import typing

import problem

HERE = pathlib.Path(__file__).resolve().parent
ORT_VERSION = "1.30.0"  # the version the project's limits are stated against
LIBRARIES = pathlib.Path("/usr/lib/x86_64-linux-gnu")
# Tolerance of the last hidden state against ours in f32; a larger difference means another network.
SAME, ROUNDED = 1e-4, 0.2


@dataclasses.dataclass
class Peer:
    name: str
    start: typing.Callable  # (problem path, d) to the command line
    tolerance: float = SAME
    environment: dict = dataclasses.field(default_factory=lambda: dict(os.environ, OMP_NUM_THREADS="1"))

    def command(self, path, d):
        return [str(part) for part in self.start(path, d)]


class Missing(Exception):
    """The reason why a peer is skipped."""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Missing(lines[-1] if lines else f"{command[0]} failed")
    return done.stdout


def skim_peers(root, out, build):
    if not (build / "build.ninja").exists():
        raise Missing(f"{build} is not configured: run cmake --preset release")
    run("cmake", "--build", build, "--target", "peers_skim")

    def peer(weights, inputs):
        return Peer(f"skim {weights}, {inputs}",
                    lambda path, d: [build / "peers_skim", weights, inputs, path, d, problem.WORDS],
                    SAME if weights == "f32" else ROUNDED)

    return [peer("f32", "words"), peer("bf16", "words"), peer("int8", "words"), peer("f32", "rows")]


def ort_folder(out):
    package = out / "node_modules/onnxruntime-node"
    if not package.exists():
        if not shutil.which("npm"):
            raise Missing("npm is not installed")
        # The package's install script fetches GPU libraries, which are not wanted here.
        run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", out,
            f"onnxruntime-node@{ORT_VERSION}")
    libraries = sorted(package.glob("bin/*/linux/x64/libonnxruntime.so.1"))
    if not libraries:
        raise Missing("onnxruntime-node holds no library for this machine")
    return libraries[-1].parent


def ort_peers(root, out, build):
    folder = ort_folder(out)
    worker = out / "ort_worker"
    run("g++", "-std=c++20", "-O2", HERE / "ort_worker.cpp", folder / "libonnxruntime.so.1", f"-Wl,-rpath,{folder}",
        "-o", worker)

    def peer(name, start, suffix, tolerance=SAME, **environment):
        return Peer(name, lambda path, d: [*start, path.with_suffix(suffix), path, d, problem.WORDS], tolerance,
                    dict(os.environ, **environment))

    script = ["node", HERE / "ort_worker.cjs"]
    return [peer("ONNX Runtime f32, C", [worker], ".onnx"),
            peer("ONNX Runtime int8, C", [worker], ".int8.onnx", ROUNDED),
            peer("ONNX Runtime f32, JavaScript", script, ".onnx", NODE_PATH=str(out / "node_modules"))]


def with_blas():
    """Debian's torch and numpy load the first libblas.so.3; each installed one gets its own row."""
    for name, folder in (("OpenBLAS", "openblas-pthread"), ("BLIS", "blis-pthread")):
        if (LIBRARIES / folder / "libblas.so.3").exists():
            yield name, dict(os.environ, LD_LIBRARY_PATH=str(LIBRARIES / folder), OMP_NUM_THREADS="1",
                             OPENBLAS_NUM_THREADS="1", BLIS_NUM_THREADS="1")


def python_peers(kind, title):
    def find(root, out, build):
        python = next((path for path in ("/usr/bin/python3", "python3")
                       if subprocess.run([path, "-c", f"import {kind}"], capture_output=True).returncode == 0), None)
        if not python:
            raise Missing(f"python3-{kind} is not installed")
        script = HERE / "python_worker.py"
        return [Peer(f"{title}, {blas}", lambda path, d: [python, script, kind, path, d, problem.WORDS], SAME, environment)
                for blas, environment in with_blas()]

    return find


def libtorch_peers(root, out, build):
    include = pathlib.Path("/usr/include/torch/csrc/api/include")
    if not include.exists():
        raise Missing("libtorch-dev is not installed")
    worker, source = out / "torch_worker", HERE / "torch_worker.cpp"
    if not worker.exists() or worker.stat().st_mtime < source.stat().st_mtime:
        run("g++", "-std=c++17", "-O2", f"-I{include}", source, "-ltorch", "-ltorch_cpu", "-lc10", "-o", worker)
    return [Peer(f"LibTorch, {blas}", lambda path, d: [worker, path, d, problem.WORDS], SAME, environment)
            for blas, environment in with_blas()]


def find_peers(root, out, build):
    """Returns our workers and the available peers, and the skipped ones with the reason."""
    found, skipped = skim_peers(root, out, build), []
    for name, find in (("ONNX Runtime", ort_peers), ("LibTorch", libtorch_peers),
                       ("PyTorch", python_peers("torch", "PyTorch")), ("NumPy", python_peers("numpy", "NumPy loop"))):
        try:
            found += find(root, out, build)
        except Missing as reason:
            skipped.append((name, str(reason)))
    return found, skipped
