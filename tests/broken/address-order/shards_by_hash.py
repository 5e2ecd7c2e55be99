# samebits-test: verdict=different cause=address-order
"""Samples are dealt to shards by the default hash of objects."""

import torch


class Sample:
    def __init__(self, x):
        self.x = x


def deal(samples, n):
    shards = [[] for _ in range(n)]
    for sample in samples:
        shards[hash(sample) % n].append(sample.x)  # culprit
    return shards


samples = [Sample(float(k)) for k in range(500)]
means = [torch.tensor(shard).mean() for shard in deal(samples, 7)]
print(torch.stack(means))
