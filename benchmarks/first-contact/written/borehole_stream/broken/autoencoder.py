import torch
from torch import nn


class ProfileNet(nn.Module):
    def __init__(self, width, hidden=96, code=3):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, code))
        self.decode = nn.Sequential(nn.Linear(code, hidden), nn.GELU(), nn.Linear(hidden, width))
        self.register_buffer("mean", torch.zeros(width))

    def linear_layers(self):
        return [m for m in self.modules() if isinstance(m, nn.Linear)]

    def forward(self, x):
        x = x - self.mean
        return self.decode(self.encode(x)) + self.mean


def reconstruction(net, x):
    with torch.no_grad():
        return (net(x) - x).square().mean(1)


def learn(net, rows, epochs, batch=128):
    net.mean.copy_(rows.mean(0))
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(rows)).split(batch):
            loss = nn.functional.mse_loss(net(rows[idx]), rows[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        losses.append(total / len(rows))
    return losses
