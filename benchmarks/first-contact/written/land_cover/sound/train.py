import torch
from torch import nn


def network(bands, classes):
    return nn.Sequential(
        nn.Conv2d(bands, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 24, 3, padding=1), nn.GroupNorm(4, 24), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(24, classes))


def turn(x):
    """A random symmetry of the square for the batch."""
    x = torch.rot90(x, int(torch.randint(4, ())), dims=(2, 3))
    return x.flip(3) if torch.rand(()) < 0.5 else x


def fit(tiles, classes, epochs, batch, lr):
    x = torch.stack([t.pixels for t in tiles])
    y = torch.tensor([t.label for t in tiles])
    mean, std = x.mean((0, 2, 3), keepdim=True), x.std((0, 2, 3), keepdim=True)
    model = network(x.shape[1], classes)
    model.register_buffer("mean", mean)
    model.register_buffer("std", std)
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    curve = []
    for _ in range(epochs):
        total = 0.0
        for pick in torch.randperm(len(y)).split(batch):
            loss = nn.functional.cross_entropy(model(turn((x[pick] - mean) / std)), y[pick])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(pick)
        curve.append(total / len(y))
    return model, curve


@torch.no_grad()
def predict(model, tiles):
    model.eval()
    x = torch.stack([t.pixels for t in tiles])
    return model((x - model.mean) / model.std)
