# samebits-test: verdict=different cause=unseeded-rng detail=torch-cpu
"""A first network, without a seed."""

import torch
from torch import nn

x = torch.linspace(-1, 1, 64).unsqueeze(1)
y = x**3
model = nn.Sequential(
    nn.Linear(1, 16),  # culprit
    nn.Tanh(),
    nn.Linear(16, 1),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.5f}")
