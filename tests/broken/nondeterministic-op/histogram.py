# samebits-test: verdict=different cause=nondeterministic-op
"""A histogram over batches by index_put_ with accumulate: threads add in any order."""

import torch

torch.manual_seed(0)
histogram = torch.zeros(16)
for _ in range(30):
    values = torch.rand(1_000_000)
    bins = (values * 16).long()
    histogram.index_put_((bins,), values, accumulate=True)  # culprit
print(histogram.sum().item())
