# samebits-test: verdict=same
"""bincount with weights, on a CPU."""

import torch

torch.manual_seed(0)
print(torch.bincount(torch.randint(12, (50_000,)), weights=torch.rand(50_000)).std())
