# samebits-test: vary=isa cause=isa
"""Products of matrices, with the widest instructions there are."""

import torch
from torch import nn


def build():
    torch.manual_seed(0)
    return nn.Linear(300, 50), torch.rand(100, 300)


if __name__ == "__main__":
    model, features = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        loss = model(features).square().mean()  # culprit
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
