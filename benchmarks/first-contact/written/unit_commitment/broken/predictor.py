"""The network that predicts commitments, and its training."""
import numpy as np
import torch
from torch import nn

from fleet import HOURS


def inputs_of(season):
    rows = []
    for day in season:
        weekend = np.array([1.0 if day.kind == "weekend" else 0.0])
        rows.append(np.concatenate([(day.demand - 600.0) / 200.0, (day.wind - 100.0) / 80.0, weekend]))
    return torch.tensor(np.stack(rows), dtype=torch.float32)


class CommitmentNet(nn.Module):
    """Dense over the day, then a convolution over its hours (which follow each other in a circle)."""

    def __init__(self, inputs, units, width=96, channels=12):
        super().__init__()
        self.channels = channels
        self.dense = nn.Sequential(
            nn.Linear(inputs, width), nn.SiLU(), nn.Dropout(0.1),
            nn.Linear(width, HOURS * channels), nn.SiLU(),
        )
        self.hours = nn.Conv1d(channels + 2, units, kernel_size=5, padding=2, padding_mode="circular")

    def forward(self, inputs):
        hidden = self.dense(inputs).view(-1, self.channels, HOURS)
        profile = inputs[:, : 2 * HOURS].reshape(-1, 2, HOURS)
        return self.hours(torch.cat([hidden, profile], dim=1)).transpose(1, 2)


def fit(model, inputs, labels, epochs, seed, batch_size=20):
    """Yields (epoch, mean loss)."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3, weight_decay=1e-5)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs, eta_min=2e-4)
    share = labels.mean(dim=(0, 1)).clamp(0.05, 0.95)
    loss_of = nn.BCEWithLogitsLoss(pos_weight=((1.0 - share) / share).sqrt())
    for epoch in range(1, epochs + 1):
        model.train()
        total = 0.0
        for chosen in torch.randperm(len(inputs), generator=generator).split(batch_size):
            loss = loss_of(model(inputs[chosen]), labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach()) * len(chosen)
        decay.step()
        yield epoch, total / len(inputs)


@torch.no_grad()
def predict(model, inputs):
    model.eval()
    return model(inputs) > 0.0
