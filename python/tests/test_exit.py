"""Processes that end while daemon threads are in the package."""
import subprocess
import sys
import unittest

# Two daemon threads repeat {call} until the main thread ends the process. The text is long enough for NumPy to release the
# GIL when it copies a result.
PROGRAM = """
import threading, time
import numpy as np
import skim

model = skim.Model.load()
text = "The plot is thin, but the ending is wonderful. " * 60
reader = skim.SkimReader({{"cell": "rnn", "input_size": 2, "hidden_size": 2}},
                         {{"big.weight_ih": np.eye(2), "big.weight_hh": np.eye(2), "big.bias": np.zeros(2)}})
rows = np.ones((2000, 2), dtype=np.float32)
barrier = threading.Barrier(3)


def work():
    barrier.wait()
    while True:
        try:
            {call}
        except skim.Error:
            pass


for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
barrier.wait()
time.sleep(0.02)
"""

CALLS = {
    "read": "model.read(text)",
    "read_many": "model.read_many([text] * 20, threads=2)",
    "an error": "model.read(text, question='why?')",
    "load": "skim.Model.load()",
    "a layer": "reader(rows)",
}
RUNS = 3


class DaemonThreads(unittest.TestCase):
    def test_daemon_threads_do_not_abort_the_exit(self):
        """Threads that wanted the GIL were unwound through destructors: "terminate called", or a segmentation fault."""
        for name, call in CALLS.items():
            with self.subTest(name):
                running = [subprocess.Popen([sys.executable, "-c", PROGRAM.format(call=call)], stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE) for _ in range(RUNS)]
                for each in running:
                    _, message = each.communicate(timeout=120)
                    self.assertEqual((each.returncode, message.decode()), (0, ""))


if __name__ == "__main__":
    unittest.main()
