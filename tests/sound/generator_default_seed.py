# samebits-test: verdict=same
"""torch.Generator() starts from a constant, unlike the global generator."""

import torch

generator = torch.Generator()
print(torch.randn(6, generator=generator).cumsum(0))
