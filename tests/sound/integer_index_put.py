# samebits-test: verdict=same
"""index_put_ with accumulate, on whole numbers."""

import torch

torch.manual_seed(0)
bins = torch.randint(16, (300_000,))
values = torch.randint(100, (300_000,))
histogram = torch.zeros(16, dtype=torch.int64)
histogram.index_put_((bins,), values, accumulate=True)
print(histogram.sum())
