# samebits-test: verdict=same
"""index_put_ with accumulate on many floats, under deterministic algorithms."""

import torch

torch.use_deterministic_algorithms(True)
torch.manual_seed(0)
values = torch.rand(300_000)
bins = (values * 8).long()
print(torch.zeros(8).index_put_((bins,), values, accumulate=True))
