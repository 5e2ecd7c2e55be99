"""The curve network, and fitting it."""

import time

import torch
from torch import nn


class CurveNet(nn.Module):
    def __init__(self, trial, inputs=4, outputs=2):
        super().__init__()
        sizes = [inputs] + [trial.width] * trial.depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.last = nn.Linear(sizes[-1], outputs)
        self.activation = trial.activation
        self.drop = nn.Dropout(trial.dropout)

    def forward(self, x):
        for layer in self.layers:
            x = self.drop(self.activation(layer(x)))
        return self.last(x)


def error(model, data):
    model.eval()
    with torch.no_grad():
        return (model(data.inputs) - data.targets).square().mean().sqrt().item()


def fit(trial, train, seed, epochs=14, batch=64):
    torch.manual_seed(seed)
    model = CurveNet(trial)
    optimizer = torch.optim.Adam(model.parameters(), lr=trial.rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    started = time.perf_counter()
    for _ in range(epochs):
        model.train()
        for rows in torch.randperm(len(train.inputs)).split(batch):
            loss = nn.functional.smooth_l1_loss(model(train.inputs[rows]), train.targets[rows], beta=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    return model, time.perf_counter() - started
