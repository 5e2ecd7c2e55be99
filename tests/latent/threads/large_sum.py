# samebits-test: vary=threads cause=thread-count
"""Sums over a hundred thousand numbers are cut at the number of threads."""

import torch

torch.manual_seed(0)
channels = torch.rand(16, 100_000)
means = [channel.sum() / len(channel) for channel in channels]  # culprit
print(torch.stack(means).tolist())
