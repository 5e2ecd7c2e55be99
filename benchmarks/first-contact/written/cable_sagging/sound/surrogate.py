import torch
from torch import nn


def build(inputs, width=48):
    return nn.Sequential(
        nn.Linear(inputs, width), nn.GELU(), nn.Dropout(0.05), nn.Linear(width, width), nn.GELU(),
        nn.Linear(width, 2),
    )


def fit(model, x, y, epochs, seed):
    shuffle = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for batch in torch.randperm(len(x), generator=shuffle).split(16):
            loss = nn.functional.mse_loss(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        losses.append(total / len(x))
    return losses
