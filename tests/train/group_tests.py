"""Tests of data-parallel training: equality with one process, lost processes, several networks.

Environment: SKIM (the program), SKIM_SOURCE (the tree, for tools/launch).
"""
import array
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import time
import unittest

from trainings import SKIM, Trainings

LAUNCH = pathlib.Path(os.environ["SKIM_SOURCE"]) / "tools/launch"


def tensors(path):
    """The f32 tensors of a model file."""
    data = path.read_bytes()
    header_size = struct.unpack("<Q", data[:8])[0]
    header, values = json.loads(data[8:8 + header_size]), data[8 + header_size:]
    return {name: array.array("f", values[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__" and entry["dtype"] == "F32"}


def distance(left, right):
    left, right = tensors(left), tensors(right)
    assert left.keys() == right.keys()
    return max(abs(a - b) for name in left for a, b in zip(left[name], right[name], strict=True))


def command(options):
    return [SKIM, "train", *map(str, options)]


class Groups(Trainings):
    def launch(self, count, options):
        return subprocess.run([LAUNCH, str(count), *command(options)], capture_output=True, text=True, timeout=300)

    def wait_for(self, path, process):
        while not path.exists():
            self.assertIsNone(process.poll(), "training ended before its first checkpoint")
            time.sleep(0.02)

    def test_match_one_process_with_the_whole_batch(self):
        """Equal but for the order in which floats are added. 300 texts in batches of 32 leave a last one of 12, and
        batches of 2 leave a third process without a text."""
        for batch, count in ((32, 2), (2, 3)):
            with self.subTest(batch=batch, processes=count):
                one, many = self.at / f"one{batch}.skim", self.at / f"many{batch}.skim"
                same = ["--max-steps", 40, "--batch-size", batch, "--adversarial", 0.1, "--random-crop", "--max-words", 12,
                        "--buckets", 60]
                self.train(*self.quick(one, *same))
                done = self.launch(count, self.quick(many, *same))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertLess(distance(one, many), 2e-5)

    def test_stop_and_resume_together(self):
        whole, parts = self.at / "whole.skim", self.at / "parts.skim"
        self.assertEqual(self.launch(2, self.quick(whole, "--max-steps", 200)).returncode, 0)
        process = subprocess.Popen([LAUNCH, "2", *command(self.quick(parts, "--max-steps", 200, "--checkpoint-seconds", 0.02))],
                                   stderr=subprocess.PIPE, text=True)
        self.wait_for(self.at / "parts.skim.checkpoint/checkpoint.safetensors", process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("--resume", errors)
        done = self.launch(2, self.quick(parts, "--max-steps", 200, "--resume"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(whole.read_bytes(), parts.read_bytes())

    def test_a_lost_process_ends_all_and_keeps_the_checkpoint(self):
        out = self.at / "lost.skim"
        checkpoint = self.at / "lost.skim.checkpoint/checkpoint.safetensors"
        options = self.quick(out, "--max-steps", 100_000, "--eval-steps", 100_000, "--checkpoint-seconds", 0.05)
        environment = os.environ | {"WORLD_SIZE": "3", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        processes = [subprocess.Popen(command(options), env=environment | {"RANK": str(rank)}, stderr=subprocess.PIPE,
                                      text=True) for rank in range(3)]
        self.wait_for(checkpoint, processes[0])
        processes[2].kill()
        for process in processes[:2]:
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1)
            self.assertIn("lost another process", errors)
            self.assertIn("--resume", errors)
        processes[2].communicate()
        self.assertFalse(out.exists())
        resumed = subprocess.Popen(command([*options, "--resume"]), stderr=subprocess.PIPE, text=True)
        self.assertTrue(any("resumed after step" in line for line in resumed.stderr), "fewer processes may resume")
        resumed.kill()
        resumed.communicate()

    def run_all(self, count, options):
        """Runs a group and returns the exit code and the messages of each process, by rank."""
        environment = os.environ | {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        processes = [subprocess.Popen(command(options), env=environment | {"RANK": str(rank)}, stderr=subprocess.PIPE,
                                      text=True) for rank in range(count)]
        errors = [process.communicate(timeout=120)[1] for process in processes]
        return [(process.returncode, error) for process, error in zip(processes, errors, strict=True)]

    def test_divergence_ends_all_processes_at_the_same_step(self):
        """They trained to the end with weights that were not finite."""
        out = self.at / "diverged.skim"
        ended = self.run_all(3, self.quick(out, "--learning-rate", 1e30, "--max-steps", 100_000))
        for rank, (code, errors) in enumerate(ended):
            with self.subTest(rank=rank):
                self.assertEqual(code, 1, errors)
                self.assertIn("step 2: the loss is not finite; --learning-rate 1e+30 is probably too high", errors)
                self.assertNotIn("lost another process", errors)
        self.assertFalse(out.exists())

    def test_a_damaged_checkpoint_ends_all_processes_and_a_finished_training_none(self):
        out = self.at / "twice.skim"
        checkpoint = self.at / "twice.skim.checkpoint/checkpoint.safetensors"
        checkpoint.parent.mkdir()
        checkpoint.touch()
        options = self.quick(out, "--max-steps", 20, "--resume")
        for code, errors in self.run_all(2, options):
            self.assertEqual(code, 1, errors)
            self.assertIn("delete it, or start without --resume", errors)
        checkpoint.unlink()
        self.assertEqual([code for code, _ in self.run_all(2, options)], [0, 0])
        model = out.read_bytes()
        self.assertEqual([code for code, _ in self.run_all(2, options)], [0, 0])
        self.assertEqual(out.read_bytes(), model)

    def test_different_options_are_an_error(self):
        environment = os.environ | {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        processes = [subprocess.Popen(command(self.quick(self.at / "never.skim", "--gamma", gamma)),
                                      env=environment | {"RANK": str(rank)}, stderr=subprocess.PIPE, text=True)
                     for rank, gamma in enumerate((0.01, 0.02))]
        errors = [process.communicate(timeout=60)[1] for process in processes]
        self.assertIn("other options or other data than the process of rank 0", errors[1])
        self.assertEqual([process.returncode for process in processes], [1, 1])

    def test_a_wrong_environment_variable_is_named(self):
        done = subprocess.run(command(self.quick(self.at / "never.skim")), env=os.environ | {"WORLD_SIZE": "2"},
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("RANK", done.stderr)

    def test_group_timeout_limits_the_rendezvous(self):
        environment = os.environ | {"WORLD_SIZE": "2", "RANK": "0", "MASTER_ADDR": "127.0.0.1",
                                    "MASTER_PORT": str(free_port())}
        done = subprocess.run(command(self.quick(self.at / "never.skim", "--group-timeout", 1)), env=environment,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("could not connect to the others", done.stderr)

    def test_a_connection_of_another_program_does_not_block_the_rendezvous(self):
        port = free_port()
        environment = os.environ | {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        options = self.quick(self.at / "visited.skim", "--max-steps", 2, "--group-timeout", 30)
        first = subprocess.Popen(command(options), env=environment | {"RANK": "0"}, stderr=subprocess.PIPE, text=True)
        while True:
            try:
                stranger = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                self.assertIsNone(first.poll())
                time.sleep(0.02)
        stranger.sendall(bytes(64))
        second = subprocess.Popen(command(options), env=environment | {"RANK": "1"}, stderr=subprocess.PIPE, text=True)
        for process in (first, second):
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, errors)
        stranger.close()

    def test_across_networks(self):
        """Two connected network namespaces: the processes share nothing but TCP."""
        with Network() as network:
            if not network.works:
                self.skipTest("no right to make network namespaces here")
            one, two = self.at / "near.skim", self.at / "far.skim"
            self.train(*self.quick(one, "--max-steps", 40))
            environment = os.environ | {"WORLD_SIZE": "2", "MASTER_ADDR": "10.213.7.1", "MASTER_PORT": "29500"}
            processes = [subprocess.Popen(["ip", "netns", "exec", name, *command(self.quick(two, "--max-steps", 40))],
                                          env=environment | {"RANK": str(rank)}, stderr=subprocess.PIPE, text=True)
                         for rank, name in enumerate(network.names)]
            for process in processes:
                _, errors = process.communicate(timeout=120)
                self.assertEqual(process.returncode, 0, errors)
            self.assertLess(distance(one, two), 2e-5)


class Network:
    """Two namespaces, 10.213.7.1 in the first and 10.213.7.2 in the second."""

    def __init__(self):
        self.names = [f"skim{os.getpid()}{side}" for side in "ab"]
        self.works = False

    def __enter__(self):
        first, second = self.names
        near, far = f"s{os.getpid()}a", f"s{os.getpid()}b"
        steps = [["ip", "netns", "add", first], ["ip", "netns", "add", second],
                 ["ip", "link", "add", near, "type", "veth", "peer", "name", far],
                 ["ip", "link", "set", near, "netns", first], ["ip", "link", "set", far, "netns", second]]
        for name, link, number in ((first, near, 1), (second, far, 2)):
            steps += [["ip", "-n", name, "address", "add", f"10.213.7.{number}/24", "dev", link],
                      ["ip", "-n", name, "link", "set", link, "up"], ["ip", "-n", name, "link", "set", "lo", "up"]]
        self.works = shutil.which("ip") is not None and all(
            subprocess.run(step, capture_output=True).returncode == 0 for step in steps)
        return self

    def __exit__(self, *_):
        for name in self.names:
            if shutil.which("ip"):
                subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    unittest.main(verbosity=2)
