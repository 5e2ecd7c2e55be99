"""One network: its shape, its training, its forecasts."""

import numpy as np
import torch
from torch import nn

SCALE = 5.0  # basis points; targets are of this order


class SpreadNet(nn.Module):
    def __init__(self, features, config):
        super().__init__()
        sizes = [features] + [config.width] * config.depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.out = nn.Linear(sizes[-1], 1)
        self.dropout = nn.Dropout(config.dropout)
        self.activation = config.activation

    def forward(self, x):
        for layer in self.layers:
            x = self.dropout(self.activation(layer(x)))
        return self.out(x).squeeze(1)


def standardiser(x):
    mean, sd = x.mean(axis=0), x.std(axis=0)
    sd = np.where(sd > 1e-9, sd, 1.0)
    return lambda rows: np.clip((rows - mean) / sd, -5.0, 5.0)


def fit(config, x, y, epochs, seed, batch=256):
    torch.manual_seed(seed)
    shuffler = torch.Generator().manual_seed(seed)
    inputs = torch.tensor(x, dtype=torch.float32)
    targets = torch.tensor(y / SCALE, dtype=torch.float32)
    model = SpreadNet(inputs.shape[1], config)
    optimiser = torch.optim.AdamW(model.parameters(), lr=config.lr,
                                  weight_decay=config.weight_decay)
    model.train()
    for _ in range(epochs):
        total = 0.0
        for picked in torch.randperm(len(targets), generator=shuffler).split(batch):
            optimiser.zero_grad()
            loss = config.loss(model(inputs[picked]), targets[picked])
            loss.backward()
            optimiser.step()
            total += loss.item() * len(picked)
        mean_loss = total / len(targets)
    return model, mean_loss


def forecast(model, x):
    model.eval()
    with torch.no_grad():
        return model(torch.tensor(x, dtype=torch.float32)).double().numpy() * SCALE
