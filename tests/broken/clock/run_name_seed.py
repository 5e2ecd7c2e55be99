# samebits-test: verdict=different cause=clock
"""The name of the run holds the time, and its checksum seeds Python."""

import random
import time
import zlib

import torch


class Experiment:
    def __init__(self, name):
        self.name = f"{name}-{time.time_ns()}"  # culprit
        self.seed = zlib.crc32(self.name.encode())

    def start(self):
        random.seed(self.seed)
        torch.manual_seed(0)
        return torch.tensor([random.gauss(0, 1) for _ in range(16)])


noise = Experiment("baseline").start()
print(torch.fft.fft(noise).abs().max())
