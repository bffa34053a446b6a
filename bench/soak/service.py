"""The server under test: started, stopped and reloaded while clients use it."""
import asyncio
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.request

# Seconds. A stop answers what has arrived; far longer is a hang.
STOP_TIMEOUT = 60
# docs/http.md: idle connections stay open for 0.5 s after a stop, for requests that are on their way.
GRACE = 0.4


@dataclasses.dataclass
class Stop:
    """A graceful shutdown."""
    began: float  # just before the signal
    ended: float = float("inf")  # when the next server listened


class Service:
    """`skim serve` on one port, through any number of processes."""

    def __init__(self, skim, model, port, options, log):
        self.command = [skim, "serve", "--port", str(port), "--model", f"live={model}", *map(str, options)]
        self.port, self.log = port, log
        self.process = None
        self.stops, self.exit_codes = [], []

    async def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while not await asyncio.to_thread(self.is_up):
            if self.process.poll() is not None:
                raise SystemExit(f"the server did not start: {pathlib.Path(self.log).read_text()[-1000:]}")
            await asyncio.sleep(0.01)

    def is_up(self):
        try:
            return self.get("/healthz") is not None
        except OSError:
            return False

    def get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=STOP_TIMEOUT) as response:
            return response.read().decode()

    async def stop(self):
        self.stops.append(Stop(time.monotonic()))
        self.process.send_signal(signal.SIGTERM)
        try:
            self.exit_codes.append(await asyncio.to_thread(self.process.wait, STOP_TIMEOUT))
        except subprocess.TimeoutExpired:
            self.exit_codes.append("hangs")
            self.process.kill()
            self.process.wait()

    async def restart(self):
        await self.stop()
        await self.start()
        self.stops[-1].ended = time.monotonic()

    def resident_mib(self):
        """None while no server runs."""
        try:
            text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return None
        found = re.search(r"VmRSS:\s+(\d+) kB", text)
        return int(found[1]) / 1024 if found else None

    def was_promised(self, opened, sent):
        """Whether a request must have been answered: its connection was open before a stop began, and the request was
        on its way while idle connections are still kept."""
        for stop in self.stops:
            if opened < stop.ended and (opened >= stop.began or sent > stop.began + GRACE):
                return False
        return True

    def was_up(self, begin, end):
        """Whether the server accepted connections all the time from `begin` to `end`."""
        return all(end < stop.began or begin >= stop.ended for stop in self.stops)

    # --- reloads

    def reload_counts(self):
        """Reloads by result, or None when the server has none."""
        found = re.findall(r'^skim_model_reloads_total\{model="live",result="(\w+)"\} (\d+)$', self.get("/metrics"), re.M)
        return {result: int(count) for result, count in found} or None

    async def reload(self):
        """Returns the result of one reload: reloaded, unchanged or failed."""
        before = await asyncio.to_thread(self.reload_counts)
        self.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + STOP_TIMEOUT
        while time.monotonic() < end:
            now = await asyncio.to_thread(self.reload_counts)
            changed = [result for result in now if now[result] > before[result]]
            if changed:
                return changed[0]
            await asyncio.sleep(0.01)
        return "none"


def replace(file, data):
    """As `mv` does: another file gets the name."""
    new = pathlib.Path(f"{file}.new")
    new.write_bytes(data)
    os.replace(new, file)


async def overwrite(file, data):
    """As `cp` does, in place, with a pause in the middle."""
    with open(file, "r+b") as out:
        out.truncate(len(data) // 3)
        out.write(data[:len(data) // 2])
        out.flush()
        await asyncio.sleep(0.05)
        out.write(data[len(data) // 2:])
