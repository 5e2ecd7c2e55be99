import torch
from torch import nn


class Surrogate(nn.Module):
    def __init__(self, width, hidden=48):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(width, hidden), nn.SiLU(),
                                 nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return nn.functional.softplus(self.net(x), beta=8).squeeze(-1)


def train(net, x, y, epochs, batch=64):
    opt = torch.optim.Adam(net.parameters(), lr=4e-3)
    history = []
    for _ in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(y)).split(batch):
            loss = (net(x[idx]) - y[idx]).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        history.append(total / len(y))
    return history
