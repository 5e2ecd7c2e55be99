# samebits-test: verdict=different cause=hash-order
"""Columns that two tables share, in the order of the intersection."""

import torch

left = {f"column{k}": float(k) for k in range(40)}
right = {f"column{k}": float(k * k) for k in range(15, 60)}
shared = left.keys() & right.keys()
rows = [[left[name], right[name]] for name in shared]  # culprit
table = torch.tensor(rows)
drift = (table[1:] - table[:-1]).abs().mean(dim=0)
print(drift)
