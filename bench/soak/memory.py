"""Memory of the server over time."""
import asyncio
import time

# Seconds after a start in which tables and buffers fill.
WARM_UP = 10


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
        """The samples of each process, without its warm-up if it lived long enough."""
        for number in sorted({process for process, _, _ in self.samples}):
            life = [(at, resident) for process, at, resident in self.samples if process == number]
            warm = [sample for sample in life if sample[0] > life[0][0] + WARM_UP]
            yield warm if len(warm) > 2 else life

    def slope(self):
        """Growth in MiB per hour within the lives of the processes, by least squares; None if the time is too short."""
        if self.samples[-1][1] - self.samples[0][1] < 6 * WARM_UP:
            return None
        covariance = variance = 0.0
        for life in self.lives():
            mean_at = sum(at for at, _ in life) / len(life)
            mean_resident = sum(resident for _, resident in life) / len(life)
            covariance += sum((at - mean_at) * (resident - mean_resident) for at, resident in life)
            variance += sum((at - mean_at) ** 2 for at, _ in life)
        return round(3600 * covariance / variance, 2) if variance > 0 else None

    def report(self):
        ends = [life[-1][1] for life in self.lives()]
        return {"first_mib": round(self.samples[0][2], 1), "last_mib": round(self.samples[-1][2], 1),
                "max_mib": round(max(resident for _, _, resident in self.samples), 1),
                "ends_mib": [round(end, 1) for end in ends], "slope_mib_per_hour": self.slope()}
