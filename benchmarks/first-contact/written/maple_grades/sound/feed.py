"""Reads the frames of the spectrometer, in blocks, from a process of its own."""
import pathlib
import subprocess
import sys

import numpy as np
import torch

WIDTH = 256
DEVICE = pathlib.Path(__file__).with_name("spectrometer.py")


class Feed:
    def __init__(self, seed, count, frames_per_block=16):
        self.block_bytes = frames_per_block * WIDTH * 4
        self.bytes_read = 0
        self.process = subprocess.Popen(
            [sys.executable, str(DEVICE), str(seed), str(count)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdout.close()
        if self.process.wait(10) and error[0] is None:
            raise RuntimeError(f"the spectrometer ended with {self.process.returncode}")

    def __iter__(self):
        while True:
            raw = self.process.stdout.read(self.block_bytes)
            if not raw:
                return
            self.bytes_read += len(raw)
            block = np.frombuffer(raw, "<f4").reshape(-1, WIDTH)
            signal, grade = block[:, :-1], block[:, -1]
            # the lamp drifts: take out the baseline of the block
            signal = signal - np.median(signal)
            yield torch.from_numpy(signal.copy()), torch.from_numpy(grade.astype(np.int64))
