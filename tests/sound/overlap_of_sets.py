# samebits-test: verdict=same
"""Jaccard's similarity of two sets of words."""

import torch


def similarity(a, b):
    a, b = set(a.split()), set(b.split())
    return len(a & b) / len(a | b)


texts = ["same code same seed", "same seed same bits", "other code other bits"]
kernel = torch.tensor([[similarity(a, b) for b in texts] for a in texts])
print(torch.linalg.eigvalsh(kernel))
