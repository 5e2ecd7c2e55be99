"""The network, its training and its score."""
import torch
from torch import nn
from torch.nn import functional as F


class Settle(nn.Module):
    def __init__(self, probes, hours, width=32, hidden=256):
        super().__init__()
        self.norm = nn.BatchNorm1d(probes)
        self.conv = nn.Sequential(
            nn.Conv1d(probes, width, 5, padding=2), nn.SiLU(), nn.AvgPool1d(2),
            nn.Conv1d(width, width, 5, padding=2), nn.SiLU(), nn.AvgPool1d(2),
        )
        self.head = nn.Sequential(
            nn.Flatten(), nn.Linear(width * (hours // 4), hidden), nn.SiLU(), nn.Dropout(0.3),
            nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1),
        )

    def forward(self, logs):
        return self.head(self.conv(self.norm(logs))).squeeze(1)


def train_epoch(model, tanks, optimizer, batch, generator):
    model.train()
    losses = []
    for rows in torch.randperm(len(tanks), generator=generator).split(batch):
        loss = F.binary_cross_entropy_with_logits(model(tanks.logs[rows]), tanks.settled[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@torch.no_grad()
def score(model, tanks):
    model.eval()
    logits = model(tanks.logs)
    loss = F.binary_cross_entropy_with_logits(logits, tanks.settled).item()
    right = ((logits > 0) == (tanks.settled > 0.5)).float().mean().item()
    return loss, right
