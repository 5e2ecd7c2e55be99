import torch
from torch import nn


class Surrogate(nn.Module):
    """Log of the peak acceleration, from standardised inputs."""

    def __init__(self, inputs, width=48):
        super().__init__()
        self.register_buffer("centre", torch.zeros(inputs))
        self.register_buffer("spread", torch.ones(inputs))
        self.layers = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width),
                                    nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers((x - self.centre) / self.spread).squeeze(1)

    def peaks(self, x):
        return self(x).exp()


def fit(net, design, peaks, epochs, batch=32):
    x = torch.tensor(design, dtype=torch.float32)
    y = torch.tensor(peaks, dtype=torch.float32).log()
    net.centre.copy_(x.mean(0))
    net.spread.copy_(x.std(0))
    opt = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=1e-3)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(x)).split(batch):
            loss = nn.functional.huber_loss(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        losses.append(total / len(x))
    return losses
