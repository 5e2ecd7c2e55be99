# samebits-test: verdict=same
"""Undirected edges are frozensets; the dict keeps the order of insertion."""

import torch

weights = {}
for k, edge in enumerate([("a", "b"), ("b", "c"), ("b", "a"), ("c", "a")]):
    key = frozenset(edge)
    weights[key] = weights.get(key, 0.0) + k + 0.1
print(torch.tensor(list(weights.values())).softmax(0))
