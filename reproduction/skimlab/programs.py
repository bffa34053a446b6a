"""Runs skim and git."""
import datetime
import json
import pathlib
import signal
import subprocess
from typing import Any, Sequence

from .errors import LabError

HERE = pathlib.Path(__file__).resolve().parent


def skim_json(skim: str, *arguments: Any, text: str = "") -> Any:
    """What `skim ... --json` prints. Its standard error is ours."""
    command = [skim, *map(str, arguments), "--json"]
    try:
        done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=False)
    except OSError as error:
        raise LabError(f"{skim}: {error.strerror}; build it, or name it with --skim PROGRAM") from error
    if done.returncode != 0:
        raise LabError(f"`{' '.join(command[:3])} ...` failed with exit code {done.returncode}")
    return json.loads(done.stdout)


def run_to_end(command: Sequence[str]) -> tuple[int, str]:
    """Exit code and standard output. SIGINT and SIGTERM are passed on, and the child is still waited for, so that a
    training that is stopped can write its checkpoint."""
    try:
        # A process group of its own: Ctrl-C in a terminal reaches it through us alone.
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, process_group=0)
    except OSError as error:
        raise LabError(f"{command[0]}: {error.strerror}; build it, or name it with --skim PROGRAM") from error
    usual = {one: signal.signal(one, lambda number, _: child.send_signal(number))
             for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        output, _ = child.communicate()
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    return child.returncode, output


def commit() -> str:
    """The commit of this tree; empty outside of a repository."""
    done = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=HERE, capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


def tidy(value: float) -> float:
    """Six significant digits, as skim prints numbers."""
    return float(f"{value:.6g}")
