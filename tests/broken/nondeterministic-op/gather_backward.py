# samebits-test: verdict=different cause=nondeterministic-op
"""An embedding by indexing: its gradient adds up rows in any order."""

import torch
from torch import nn


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(32, 4))

    def forward(self, tokens):
        return self.weight[tokens]  # culprit


torch.manual_seed(0)
model = Table()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
tokens = torch.randint(32, (200_000,))
target = torch.randn(200_000, 4)
for _ in range(12):
    loss = (model(tokens) * target).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
