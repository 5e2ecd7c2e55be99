import torch
from torch import nn


class GenomicNet(nn.Module):
    def __init__(self, markers, hidden=32):
        super().__init__()
        self.additive = nn.Linear(markers, 1)
        self.epistatic = nn.Sequential(nn.Linear(markers, hidden), nn.GELU(), nn.Dropout(0.2), nn.Linear(hidden, 1))

    def forward(self, x):
        return (self.additive(x) + self.epistatic(x)).squeeze(-1)


def train(model, loader, epochs, lr=2e-3):
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.05)
    losses = []
    for _ in range(epochs):
        model.train()
        running, seen = 0.0, 0
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() * len(y)
            seen += len(y)
        losses.append(running / seen)
    return losses
