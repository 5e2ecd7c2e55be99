# samebits-test: verdict=same
"""nn.Embedding adds up its gradient in one order on a CPU."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Embedding(20, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
tokens = torch.randint(20, (50_000,))
for _ in range(2):
    loss = model(tokens).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
