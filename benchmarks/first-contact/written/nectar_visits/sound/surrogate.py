"""The network that stands in for the simulation."""

import torch
from torch import nn


class Surrogate(nn.Module):
    def __init__(self, n_inputs, n_outputs, width=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_inputs, width),
            nn.SiLU(),
            nn.Linear(width, width),
            nn.SiLU(),
            nn.Linear(width, n_outputs),
        )

    def forward(self, x):
        return self.body(x)


def fit(model, inputs, targets, epochs=45, batch_size=32, seed=11):
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(inputs), generator=generator).split(batch_size):
            loss = nn.functional.mse_loss(model(inputs[rows]), targets[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        schedule.step()
        losses.append(total / len(inputs))
    return losses
