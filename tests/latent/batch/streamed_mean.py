# samebits-test: vary=batch cause=batch-size batch-flag=--chunk args="--chunk=100"
"""A mean that is kept up to date chunk by chunk."""

import argparse

import torch


class StreamedMean:
    def __init__(self):
        self.count = 0
        self.mean = torch.zeros(3)

    def update(self, chunk):
        self.count += len(chunk)
        share = len(chunk) / self.count
        self.mean += share * (chunk.mean(dim=0) - self.mean)  # culprit


parser = argparse.ArgumentParser()
parser.add_argument("--chunk", type=int, default=100)
chunk = parser.parse_args().chunk
torch.manual_seed(0)
mean = StreamedMean()
for part in torch.rand(1000, 3).split(chunk):  # culprit
    mean.update(part)
print(mean.mean)
