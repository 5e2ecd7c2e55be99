# samebits-test: verdict=different cause=clock
"""A moving average forgets by seconds, not by steps."""

import time

import torch


class TimedAverage:
    def __init__(self, half_life):
        self.half_life = half_life
        self.value = None
        self.last = 0.0

    def update(self, value):
        now = time.perf_counter()  # culprit
        if self.value is None:
            self.value = value
        else:
            keep = 0.5 ** ((now - self.last) / self.half_life)
            self.value = keep * self.value + (1 - keep) * value
        self.last = now


torch.manual_seed(0)
average = TimedAverage(half_life=0.001)
for row in torch.randn(50, 4):
    average.update(row.square())
print(average.value)
