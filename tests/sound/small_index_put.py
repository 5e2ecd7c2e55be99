# samebits-test: verdict=same
"""index_put_ with accumulate on few floats: one thread does it all."""

import torch

torch.manual_seed(0)
values = torch.rand(2000)
bins = (values * 8).long()
print(torch.zeros(8).index_put_((bins,), values, accumulate=True))
