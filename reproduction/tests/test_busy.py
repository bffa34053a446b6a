"""Whether the machine is idle."""
import unittest

from skimlab.busy import busy_processors, processor_time
from skimlab.errors import LabError


class Busy(unittest.TestCase):
    def test_counts_all_but_idle_and_waiting_as_busy(self):
        time = processor_time("cpu  10 20 30 400 50 1 2 3 99 99\ncpu0 1 1 1 1\n")
        self.assertEqual(time.busy, 10 + 20 + 30 + 1 + 2 + 3)
        self.assertEqual(time.total, time.busy + 400 + 50)

    def test_another_file_is_an_error(self):
        for stat in ("", "intr 1 2 3\n", "cpu\n", "cpu 0 0 0 0\n"):
            with self.subTest(stat), self.assertRaises(LabError):
                processor_time(stat)

    def test_is_at_least_zero(self):
        self.assertGreaterEqual(busy_processors(0.05), 0)
