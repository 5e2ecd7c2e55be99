import torch
from torch import nn


class Tuner(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.norm = nn.BatchNorm1d(bands)
        self.body = nn.Sequential(
            nn.Unflatten(1, (1, bands)),
            nn.Conv1d(1, 16, 5, padding=2), nn.GELU(), nn.MaxPool1d(2),
            nn.Conv1d(16, 32, 5, padding=2), nn.GELU(), nn.MaxPool1d(2),
            nn.Flatten(), nn.Dropout(0.2),
            nn.Linear(32 * (bands // 4), 64), nn.GELU(), nn.Linear(64, 1),
        )

    def forward(self, x):
        return self.body(self.norm(x)).squeeze(1)


def fit(model, x, y, epochs, batch=32, rate=1e-3):
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for epoch in range(epochs):
        model.train()
        order = torch.randperm(len(x))
        total = 0.0
        for part in order.split(batch):
            if len(part) < 2:
                continue
            loss = nn.functional.smooth_l1_loss(model(x[part]), y[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(part)
        yield epoch, total / len(x)


@torch.no_grad()
def cents_error(model, x, y):
    model.eval()
    return 25.0 * (model(x) - y).abs().mean().item()
