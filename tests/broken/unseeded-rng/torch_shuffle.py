# samebits-test: verdict=different cause=unseeded-rng detail=torch-cpu
"""The model is built under a seed, the loader shuffles outside of it."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

with torch.random.fork_rng():
    torch.manual_seed(0)
    model = nn.Linear(3, 1)

x = torch.arange(120.0).reshape(40, 3) / 120
loader = DataLoader(TensorDataset(x, x.sum(dim=1, keepdim=True)), batch_size=4, shuffle=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    for inputs, targets in loader:  # culprit
        loss = nn.functional.mse_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
