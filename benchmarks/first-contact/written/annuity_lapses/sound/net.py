import torch
from torch import nn


class LapseNet(nn.Module):
    def __init__(self, inputs, hidden, dropout):
        super().__init__()
        layers = []
        for width in hidden:
            layers += [nn.Linear(inputs, width), nn.SiLU(), nn.Dropout(dropout)]
            inputs = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(inputs, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(-1)


@torch.no_grad()
def lapse_rates(net, x):
    net.eval()
    return torch.sigmoid(net(x))
