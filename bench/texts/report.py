"""The Markdown table and the machine description of the report."""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

from programs import ROOT
from sets import Fault

PACKAGES = ("libfasttext0", "python3-sklearn", "python3-torch", "libblis4-pthread", "libopenblas0-pthread")


def output(*command):
    """What a program prints, or None when it cannot be run."""
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def machine():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def versions(build):
    found = {package: output("dpkg-query", "-W", "-f", "${Version}", package) for package in PACKAGES}
    return {"skim": output(build / "skim", "--version"), **{name: version for name, version in found.items() if version}}


def commit(root):
    found = output("git", "-C", root, "rev-parse", "--short=12", "HEAD")
    changed = output("git", "-C", root, "status", "--porcelain", "--untracked-files=no")
    return found + (", changed" if changed else "") if found else None


def table(name, rows):
    """Markdown. The last column compares with the first row."""
    yield f"### {name}"
    yield ""
    yield f"| | dev | test | microseconds per text | quartiles | times {rows[0]['name']} | load, s | model, MB |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for row in rows:
        took = row["microseconds"]
        yield (f"| {row['name']} | {100 * row['dev_accuracy']:.2f} | {100 * row['test_accuracy']:.2f} | "
               f"{took['median']:.1f} | {took['lower_quartile']:.1f} to {took['upper_quartile']:.1f} | "
               f"{row['times'][rows[0]['name']]:.2f} | "
               f"{row['load_seconds']:.1f} | {row['model_bytes'] / 1e6:.1f} |")
    yield ""


def describe_run(options):
    """What all figures of a run share. Warns when the machine is busy."""
    if not shutil.which("taskset"):
        raise Fault("taskset is missing (Debian: util-linux); without pinning the figures mean nothing")
    load = os.getloadavg()[0]
    if load > 0.3:
        print(f"warning: load average {load:.1f}: something else is running, so times are not to be trusted",
              file=sys.stderr)
    return {"machine": machine(), "load_before": load, "core": options.core, "rounds": options.rounds,
            "commit": commit(ROOT), "versions": versions(options.build)}


def earlier(file):
    """What a report has of other sets stays in it, each with the run that it came from."""
    if file is None or not file.exists():
        return {"sets": {}}
    try:
        whole = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        whole = None
    if not isinstance(whole, dict) or not isinstance(whole.get("sets"), dict):
        raise Fault(f"{file} is no report of this program; name another one")
    return whole


def save(whole, file):
    unfinished = file.with_name(file.name + ".tmp")
    with open(unfinished, "w", encoding="utf-8") as out:
        out.write(json.dumps(whole, indent=1) + "\n")
        out.flush()
        os.fsync(out.fileno())
    os.replace(unfinished, file)
