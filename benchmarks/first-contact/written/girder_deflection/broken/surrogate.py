import torch
from torch import nn

from beams import MAX_LOADS, STATIONS


class Block(nn.Module):
    def __init__(self, width, activation, residual):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear = nn.Linear(width, width)
        self.activation = activation
        self.residual = residual

    def forward(self, x):
        out = self.activation(self.linear(self.norm(x)))
        return x + out if self.residual else out


class Surrogate(nn.Module):
    def __init__(self, variant):
        super().__init__()
        self.lift = nn.Linear(2 + 2 * MAX_LOADS, variant.width)
        self.blocks = nn.Sequential(
            *(Block(variant.width, variant.activation, variant.residual) for _ in range(variant.depth))
        )
        self.out = nn.Linear(variant.width, STATIONS)

    def forward(self, x):
        return self.out(self.blocks(self.lift(x)))


def train(variant, data, seed, epochs, batch):
    x, y = data
    torch.manual_seed(seed)
    model = Surrogate(variant)
    optimizer = torch.optim.AdamW(model.parameters(), lr=variant.lr, weight_decay=variant.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(batch):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
            optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def evaluate(model, data):
    x, y = data
    error = model(x) - y
    return {
        "rmse": error.pow(2).mean().sqrt().item(),
        "worst": error.abs().max().item(),
        "midspan": error[:, STATIONS // 2].abs().mean().item(),
    }
