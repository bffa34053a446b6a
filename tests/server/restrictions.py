#!/usr/bin/env python3
"""Checks the systemd unit of examples/systemd and runs the server under the restrictions that it states.

usage: restrictions.py [--skim PROGRAM] [--make-data PROGRAM]

`systemd-analyze` checks the unit and rates its exposure. systemd itself is not needed: the server runs with the unit's
filters of system calls, address families and writable code as one seccomp filter, without privileges, as another user
where this script is root. Exits with 77 without systemd-analyze or on another architecture than x86-64.
"""
import argparse
import ctypes
import mmap
import os
import pathlib
import platform
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

import support

SKIPPED = 77
UNIT = support.SOURCE / "examples/systemd/skim.service"
# "OK" in the words of systemd-analyze. The rating differs a little between its versions.
MAX_EXPOSURE = 2.0
NOBODY = 65534

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
AUDIT_ARCH_X86_64 = 0xC000003E
RET_ALLOW, RET_ERRNO, RET_KILL = 0x7FFF0000, 0x00050000, 0x80000000
EPERM, EAFNOSUPPORT = 1, 97
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
PROT_WRITE, PROT_EXEC = 2, 4


def unit_values(name):
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)


def expand(name):
    """The system calls of a set such as @system-service."""
    if not name.startswith("@"):
        return {name}
    lines = subprocess.run(["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True).stdout
    names = [line.strip() for line in lines.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return set().union(*map(expand, names))


def allowed_calls():
    calls = expand("@default")  # always allowed by systemd
    for value in unit_values("SystemCallFilter"):
        named = set().union(*map(expand, value.lstrip("~").split()))
        calls = calls - named if value.startswith("~") else calls | named
    return calls


def call_numbers():
    header = pathlib.Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").read_text()
    return {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", header)}


# --- a classic BPF program over struct seccomp_data: the number at 0, the architecture at 4, arguments from 16 on

def load(offset):
    return [(0x20, 0, 0, offset)]


def give_back(value):
    return [(0x06, 0, 0, value)]


def if_equal(value, body):
    return [(0x15, 0, len(body), value), *body]


def if_all_bits(mask, body):
    """Runs the body, which must end the program, when all bits of the mask are set in what was loaded."""
    return [(0x54, 0, 0, mask), (0x15, 0, len(body), mask), *body]


def make_filter():
    numbers = call_numbers()
    families = [FAMILIES[name] for name in unit_values("RestrictAddressFamilies")[0].split()]
    program = load(4) + [(0x15, 1, 0, AUDIT_ARCH_X86_64)] + give_back(RET_KILL) + load(0)
    by_family = load(16)
    for family in families:
        by_family += if_equal(family, give_back(RET_ALLOW))
    program += if_equal(numbers["socket"], by_family + give_back(RET_ERRNO | EAFNOSUPPORT))
    if unit_values("MemoryDenyWriteExecute") == ["yes"]:
        program += if_equal(numbers["mmap"], load(32) + if_all_bits(PROT_WRITE | PROT_EXEC, give_back(RET_ERRNO | EPERM)) +
                            give_back(RET_ALLOW))
        program += if_equal(numbers["mprotect"], load(32) + if_all_bits(PROT_EXEC, give_back(RET_ERRNO | EPERM)) +
                            give_back(RET_ALLOW))
    for name in sorted(allowed_calls() & numbers.keys()):
        program += if_equal(numbers[name], give_back(RET_ALLOW))
    return program + give_back(RET_ERRNO | EPERM)


def restrict():
    """In the child, before the server is executed."""
    program = PROGRAM
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    os.umask(0o077)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in program))
    description = struct.pack("HP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, description, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot install the filter")


PROGRAM = []


def check_unit(skim, folder):
    """systemd-analyze accepts the unit with the real program, and rates it."""
    text = UNIT.read_text().replace("/usr/local/bin/skim", skim)
    (folder / UNIT.name).write_text(text)
    verified = subprocess.run(["systemd-analyze", "verify", "--man=no", folder / UNIT.name], capture_output=True, text=True)
    ours = [line for line in verified.stderr.splitlines() if UNIT.name in line]
    assert verified.returncode == 0 and not ours, verified.stderr
    rated = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", UNIT], capture_output=True,
                           text=True).stdout
    exposure = float(re.search(r"Overall exposure level for skim.service: ([0-9.]+)", rated)[1])
    assert exposure <= MAX_EXPOSURE, rated
    return exposure


# What the unit forbids.
FORBIDDEN = {
    "a socket of another family": lambda: socket.socket(socket.AF_UNIX),
    "memory that is writable and executable": lambda: mmap.mmap(-1, 4096, prot=PROT_WRITE | PROT_EXEC),
    "another scheduler": lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
}


def check_filter():
    """The filter of this script works: each of these succeeds without it and fails with it."""
    for name, action in FORBIDDEN.items():
        for restricted in (False, True):
            child = os.fork()
            if child == 0:
                try:
                    if restricted:
                        restrict()
                    action()
                    os._exit(0)
                except OSError:
                    os._exit(1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == int(restricted), name


def check_server(model):
    with support.Server("--threads", 2, models=[str(model)], preexec_fn=restrict) as server:
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        assert re.search(r"^Seccomp:\t2$", status, re.M) and re.search(r"^NoNewPrivs:\t1$", status, re.M), status
        assert server.read(text="a good film").status == 200
        assert server.batch(texts=["a good film"] * 50).status == 200
        assert server.request("GET", "/").status == 200
        metrics = server.request("GET", "/metrics").body.decode()
        if "skim_model_reloads_total" in metrics:
            server.process.send_signal(signal.SIGHUP)
            server.until("skim_model_reloads_total", 1)
            assert server.read(text="a good film").status == 200
    return len(PROGRAM)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skim", default=os.environ.get("SKIM"))
    parser.add_argument("--make-data", default=os.environ.get("SKIM_MAKE_DATA"))
    options = parser.parse_args()
    if not options.skim or not options.make_data:
        parser.error("name the programs with --skim and --make-data")
    return options


def main():
    options = parse_options()
    if not shutil.which("systemd-analyze") or platform.machine() != "x86_64":
        print("skipped: needs systemd-analyze (package systemd) and x86-64")
        return SKIPPED
    support.SKIM = os.path.abspath(options.skim)
    PROGRAM.extend(make_filter())
    with tempfile.TemporaryDirectory(prefix="skim-unit-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        subprocess.run([os.path.abspath(options.make_data), "--model", folder / "model.skim", "--vocab-size", "200"], check=True)
        print(f"exposure {check_unit(support.SKIM, folder)} of 10 (systemd-analyze security --offline=true)")
        check_filter()
        print(f"the server runs under a filter of {check_server(folder / 'model.skim')} instructions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
