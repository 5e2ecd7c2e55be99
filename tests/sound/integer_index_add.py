# samebits-test: verdict=same
"""index_add_ on whole numbers has no order."""

import torch

torch.manual_seed(0)
bins = torch.randint(10, (100_000,))
counts = torch.zeros(10, dtype=torch.int64)
counts.index_add_(0, bins, torch.ones_like(bins))
print(counts.tolist())
