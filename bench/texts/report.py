"""The Markdown table and the machine description of the report."""
import pathlib
import platform
import subprocess

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
