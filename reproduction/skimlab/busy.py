"""Whether the machine is idle enough to time something."""
import dataclasses
import os
import pathlib
import time

from .errors import LabError


@dataclasses.dataclass(frozen=True)
class ProcessorTime:
    """Ticks that all processors spent since the system started."""
    busy: float
    total: float


def processor_time(stat: str) -> ProcessorTime:
    """From the text of /proc/stat."""
    name, *ticks = stat.split("\n", 1)[0].split() or [""]
    if name != "cpu" or not ticks:
        raise LabError("/proc/stat: the first line does not hold the times of all processors")
    # user nice system idle iowait irq softirq steal; guests are counted in user. A stolen tick is others' work.
    numbers = [float(tick) for tick in ticks[:8]]
    if sum(numbers) <= 0:
        raise LabError("/proc/stat: the first line holds no times")
    return ProcessorTime(sum(numbers) - sum(numbers[3:5]), sum(numbers))


def busy_processors(seconds: float) -> float:
    """How many processors are in use, measured over an interval; 0 is an idle machine."""
    stat = pathlib.Path("/proc/stat")
    before = processor_time(stat.read_text())
    time.sleep(seconds)
    after = processor_time(stat.read_text())
    total = after.total - before.total
    return (after.busy - before.busy) / total * (os.cpu_count() or 1) if total > 0 else 0.0
