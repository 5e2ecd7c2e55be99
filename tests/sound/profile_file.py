# samebits-test: verdict=same
"""Durations go to a JSON file beside the results."""

import json
import tempfile
import time

import torch


class Profiler:
    def __init__(self):
        self.seconds = {}

    def __call__(self, name, function, *args):
        start = time.monotonic()
        result = function(*args)
        self.seconds[name] = time.monotonic() - start
        return result


profiler = Profiler()
a = torch.arange(64.0).view(8, 8) / 64
q, r = profiler("qr", torch.linalg.qr, a + torch.eye(8))
x = profiler("solve", torch.linalg.solve, a + torch.eye(8), torch.ones(8))
with tempfile.TemporaryFile("w") as file:
    json.dump(profiler.seconds, file)
print(r.diagonal().abs().sum(), x.sum())
