import torch
from torch import nn


class BearingNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(1, width, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(width, width, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Flatten(), nn.Linear(24 * width, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, maps):
        maps = maps - maps.mean(1, keepdim=True)
        return self.layers(maps[:, None]).squeeze(1)


def fit(net, maps, bearings, epochs, batch=16):
    target = bearings / 60.0
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(maps)).split(batch):
            loss = nn.functional.smooth_l1_loss(net(maps[idx]), target[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        losses.append(total / len(maps))
    return losses


@torch.no_grad()
def errors(net, maps, bearings):
    return (60.0 * net(maps) - bearings).abs()
