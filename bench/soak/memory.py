"""Memory of the server over time."""
import asyncio
import statistics
import time

# Seconds. In a shorter life, tables and buffers are still filling.
SHORTEST_LIFE = 60


class Memory:
    def __init__(self, service):
        self.service = service
        self.samples = []  # (number of the process, time, MiB)

    async def sample(self, end, interval):
        while time.monotonic() < end:
            resident = self.service.resident_mib()
            if resident:
                self.samples.append((len(self.service.stops), time.monotonic(), resident))
            await asyncio.sleep(interval)

    def lives(self):
        """The samples of each process."""
        for number in sorted({process for process, _, _ in self.samples}):
            yield [(at, resident) for process, at, resident in self.samples if process == number]

    def growth_percent(self):
        """Growth from the second to the last third of the life of each process, in which tables and buffers are full;
        None if no process lived long enough."""
        growths = []
        for life in self.lives():
            third = len(life) // 3
            if life[-1][0] - life[0][0] < SHORTEST_LIFE or third == 0:
                continue
            early, late = (statistics.fmean(resident for _, resident in part)
                           for part in (life[third:-third], life[-third:]))
            growths.append(100 * (late / early - 1))
        return [round(growth, 1) for growth in growths] or None

    def report(self):
        ends = [life[-1][1] for life in self.lives()]
        return {"first_mib": round(self.samples[0][2], 1), "last_mib": round(self.samples[-1][2], 1),
                "max_mib": round(max(resident for _, _, resident in self.samples), 1),
                "ends_mib": [round(end, 1) for end in ends], "growth_percent": self.growth_percent()}
