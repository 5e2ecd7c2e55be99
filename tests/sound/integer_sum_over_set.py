# samebits-test: verdict=same
"""Integers add up to the same number in any order."""

import torch

words = {"alpha", "beta", "gamma", "delta", "epsilon"}
letters = sum(len(word) for word in words)
print(torch.full((3,), letters / 7).exp())
