import torch
from torch import nn


class NitrogenNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.spectral = nn.Sequential(
            nn.Conv1d(1, width, 7, padding=3), nn.ReLU(), nn.AvgPool1d(2),
            nn.Conv1d(width, width, 5, padding=2), nn.ReLU(), nn.AvgPool1d(2),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.LazyLinear(48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 1))

    def forward(self, x):
        return self.head(self.spectral(x)).squeeze(-1)


@torch.no_grad()
def predict(net, loader):
    net.eval()
    pairs = [(net(x), y) for x, y in loader]
    return torch.cat([p for p, _ in pairs]), torch.cat([y for _, y in pairs])
