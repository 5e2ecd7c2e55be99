# samebits-test: verdict=same
"""Small integers hash to themselves: a set of them has one order."""

import torch

rows = set([7, 3, 21, 14] * 3)
x = torch.arange(30.0)
print(x[list(rows)].cumsum(0))
