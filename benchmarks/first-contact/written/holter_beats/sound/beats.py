"""Synthetic single-lead heart beats in five classes, 180 samples each."""
import numpy as np
import torch
from torch import nn

CLASSES = ("normal", "early atrial", "ventricular", "fusion", "paced")


def bump(t, centre, width, height):
    return height * np.exp(-0.5 * ((t - centre) / width) ** 2)


def make_beats(count, seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(-0.35, 0.55, 180)
    labels = rng.choice(5, size=count, p=[0.5, 0.15, 0.15, 0.1, 0.1])
    beats = np.zeros((count, 1, 180), np.float32)
    for i, c in enumerate(labels):
        w = 0.045 if c in (2, 4) else 0.018
        x = bump(t, rng.normal(0, 0.008), w * rng.uniform(0.8, 1.3), rng.normal(1.0, 0.2))
        x += bump(t, rng.normal(-0.16 if c != 1 else -0.11, 0.01), 0.025, 0.15 * (c not in (2, 4)))
        x += bump(t, rng.normal(0.28, 0.02), 0.05, rng.normal(0.3, 0.05) * (-1 if c == 2 else 1))
        if c == 3:
            x += bump(t, 0.06, 0.03, -0.35)
        if c == 4:
            x += bump(t, -0.06, 0.004, 1.2)
        x += 0.1 * np.sin(2 * np.pi * 0.4 * t + rng.uniform(0, 6)) + rng.normal(0, 0.12, 180)
        beats[i, 0] = x
    return torch.from_numpy(beats), torch.from_numpy(labels.astype(np.int64))


class BeatNet(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(1, width, 9, stride=2, padding=4), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.2),
            nn.Conv1d(width, width * 2, 7, stride=2, padding=3), nn.BatchNorm1d(width * 2), nn.ReLU(), nn.Dropout(0.2),
            nn.Conv1d(width * 2, width * 2, 5, stride=2, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        )
        self.out = nn.Linear(width * 8, len(CLASSES))

    def forward(self, x):
        return self.out(self.body(x))
