#!/usr/bin/env python3
"""Sends requests through nginx and HAProxy to `skim serve` and checks that each gets its own response.

usage: proxies.py [--requests 2000] [--connections 24] [--seed 1] [--skim PROGRAM] [--make-data PROGRAM]

Requests of all kinds (tests/support/traffic.py), one by one and pipelined, on persistent connections that share those
of the proxy to the server. Some clients give up within a request or before its response, and some send requests that
proxy and server may frame differently. The proxies run on free ports with temporary files only. Exits with 77 when one
of the proxies is not installed (tools/install_packages proxies). The programs are also named by the environment
variables SKIM and SKIM_MAKE_DATA.
"""
import argparse
import asyncio
import collections
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import support

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from traffic import Client, Traffic  # noqa: E402

SKIPPED = 77
MAX_BODY = 100_000
MAX_PER_CONNECTION = 12
MAX_SHOWN = 20

# nginx with buffers and without: with them it reads a request completely before it connects to the server.
NGINX = """
daemon off;
master_process on;
worker_processes 2;
{user}
pid {folder}/nginx.pid;
error_log {folder}/nginx.log error;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_max_body_size 0;
    keepalive_requests 100000;
    upstream skim {{
        server 127.0.0.1:{server};
        keepalive 8;
        keepalive_requests 100000;
    }}
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    server {{
        listen 127.0.0.1:{buffered};
        location / {{ proxy_pass http://skim; }}
    }}
    server {{
        listen 127.0.0.1:{unbuffered};
        proxy_request_buffering off;
        proxy_buffering off;
        location / {{ proxy_pass http://skim; }}
    }}
}}
"""

HAPROXY = """
global
    nbthread 2
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
frontend front
    bind 127.0.0.1:{haproxy}
    default_backend skim
backend skim
    http-reuse always
    server skim 127.0.0.1:{server}
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


def wait_for(port, process, log):
    end = time.monotonic() + support.TIMEOUT
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.01)
    raise SystemExit(f"{process.args[0]} did not start: {log.read_text() if log.exists() else ''}")


@contextlib.contextmanager
def running(command, port, log):
    with open(log, "ab") as out, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out) as process:
        try:
            wait_for(port, process, log)
            yield
        finally:
            process.terminate()
            process.wait(support.TIMEOUT)


@contextlib.contextmanager
def proxies(server_port, folder):
    """Starts both proxies. Yields the ports by name."""
    names = ("buffered", "unbuffered", "haproxy")
    ports = dict(zip(names, free_ports(len(names))))
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, user=user, server=server_port, **ports))
    (folder / "haproxy.cfg").write_text(HAPROXY.format(server=server_port, **ports))
    nginx = [find_program("nginx"), "-p", folder, "-e", folder / "nginx.log", "-c", folder / "nginx.conf"]
    haproxy = [find_program("haproxy"), "-db", "-f", folder / "haproxy.cfg"]
    with running(nginx, ports["buffered"], folder / "nginx.out"), \
            running(haproxy, ports["haproxy"], folder / "haproxy.out"):
        yield {"nginx": ports["buffered"], "nginx, unbuffered": ports["unbuffered"], "HAProxy": ports["haproxy"]}


def find_program(name):
    """Debian installs both in /usr/sbin, which is not on the PATH of every user."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")


class Tally:
    """The outcomes of the requests through one proxy."""

    def __init__(self):
        self.statuses, self.kinds, self.problems = collections.Counter(), collections.Counter(), []
        self.aborted = self.ambiguous = 0

    def add(self, exchange, response, problem):
        self.kinds[exchange.kind] += 1
        self.statuses[response.status if response else "none"] += 1
        if problem:
            self.problems.append(f"{exchange.kind}: {problem}")


async def use_connection(port, traffic, tally, count):
    """Sends up to `count` requests on one connection. Returns how many got a response."""
    chance = traffic.chance
    exchanges = [traffic.next() for _ in range(min(count, chance.randrange(1, MAX_PER_CONNECTION + 1)))]
    # What ends the connection comes last.
    exchanges.sort(key=lambda each: each.kind in traffic.LAST)
    while sum(each.kind in traffic.LAST for each in exchanges) > 1:
        exchanges.pop()
    pipelines = chance.random() < 0.5 and not any(each.wait_after for each in exchanges)
    async with Client(port, tally.add) as client:
        unsent = await (client.pipelined(exchanges) if pipelines else client.one_by_one(exchanges))
    return len(exchanges) - len(unsent)


async def disturb(port, traffic, tally):
    """A client that gives up, or one that tries to have a request taken for another one's."""
    async with Client(port, tally.add) as client:
        if traffic.chance.random() < 0.5:
            await client.abort(traffic.next(), traffic.chance)
            tally.aborted += 1
        else:
            await client.send_ambiguous(traffic.chance)
            tally.ambiguous += 1


async def load(port, traffic, tally, options):
    left = options.requests

    async def work():
        nonlocal left
        while left > 0:
            if traffic.chance.random() < 0.2:
                await disturb(port, traffic, tally)
            planned = min(left, MAX_PER_CONNECTION)
            left -= planned
            answered = await use_connection(port, traffic, tally, planned)
            left += planned - answered
    await asyncio.gather(*(work() for _ in range(options.connections)))


def measure(ports, options):
    """Sends the requests through each proxy; prints the figures and returns the problems."""
    problems = []
    for name, port in ports.items():
        tally = Tally()
        begin = time.monotonic()
        asyncio.run(load(port, Traffic(options.seed, MAX_BODY), tally, options))
        seconds = time.monotonic() - begin
        count = sum(tally.kinds.values())
        print(f"{name}: {count} requests, {len(tally.problems)} without their own response, {tally.aborted} aborted "
              f"clients, {tally.ambiguous} ambiguous requests, {seconds:.1f} s, {count / seconds:.0f} per second")
        print("  kinds: " + ", ".join(f"{kind} {tally.kinds[kind]}" for kind in sorted(tally.kinds)))
        print("  statuses: " + ", ".join(f"{status} {number}" for status, number in sorted(tally.statuses.items(), key=str)),
              flush=True)
        problems += [f"{name}: {problem}" for problem in tally.problems]
    return problems


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000, help="per proxy")
    parser.add_argument("--connections", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skim", default=os.environ.get("SKIM"))
    parser.add_argument("--make-data", default=os.environ.get("SKIM_MAKE_DATA"))
    options = parser.parse_args()
    if not options.skim or not options.make_data:
        parser.error("name the programs with --skim and --make-data")
    return options


def main():
    options = parse_options()
    missing = [name for name in ("nginx", "haproxy") if not find_program(name)]
    if missing:
        print(f"skipped: {' and '.join(missing)} not installed; see tools/install_packages proxies")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="skim-proxies-") as name:
        folder = pathlib.Path(name)
        support.SKIM = os.path.abspath(options.skim)
        model = folder / "model.skim"
        subprocess.run([os.path.abspath(options.make_data), "--model", model, "--vocab-size", "200"], check=True)
        with support.Server("--max-body", MAX_BODY, "--keep-alive", 75, "--access-log", "none", models=[str(model)]) as server, \
                proxies(server.port, folder) as ports:
            problems = measure({"direct": server.port} | ports, options)
            server.until("skim_requests_in_flight", 0)
        log = folder / "nginx.log"
        complaints = [line for line in log.read_text().splitlines() if "[error]" in line] if log.exists() else []
    print("\n".join(problems[:MAX_SHOWN] + complaints[:MAX_SHOWN if problems else 0]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
