# samebits-test: verdict=different cause=unseeded-rng detail=torch-generator
"""A diffusion schedule draws its noise from a private generator."""

import torch
from torch import nn


class Diffusion:
    def __init__(self, steps=10):
        self.alpha = torch.linspace(0.99, 0.5, steps).cumprod(0)
        self.generator = torch.Generator()
        self.generator.seed()  # culprit

    def noised(self, x, t):
        noise = torch.randn(x.shape, generator=self.generator)
        alpha = self.alpha[t].unsqueeze(1)
        return alpha.sqrt() * x + (1 - alpha).sqrt() * noise, noise


torch.manual_seed(0)
diffusion = Diffusion()
model = nn.Linear(6, 6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    x, noise = diffusion.noised(torch.ones(8, 6), torch.randint(10, (8,)))
    loss = nn.functional.mse_loss(model(x), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
