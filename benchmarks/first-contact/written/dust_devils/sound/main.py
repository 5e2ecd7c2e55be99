#!/usr/bin/env python
# Detection of dust devils in pressure records of desert stations.
# Stage 1 simulates the record of each station in pieces and spills them to disk,
# stage 2 reads the pieces back and trains a 1-d convolutional detector.
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
from scipy.ndimage import gaussian_filter1d
from sklearn.metrics import average_precision_score

STATIONS = ["alcantar", "bodele", "eloy", "jornada", "kerma", "taklir"]
PIECES = 10          # per station
PIECE = 6144         # samples at 2 Hz
WINDOW = 128
torch.manual_seed(19)


def vortex(length, rng):
    t = np.arange(length)
    centre = rng.uniform(0.3, 0.7) * length
    depth = rng.gamma(3.0, 0.25) + 0.25
    half = rng.uniform(3, 10)
    return -depth / (1 + ((t - centre) / half) ** 2)


def piece_of_record(station, number):
    rng = np.random.default_rng([station, number])
    slow = gaussian_filter1d(rng.normal(0, 6.0, PIECE), 90)
    gusts = gaussian_filter1d(rng.normal(0, 0.5, PIECE), 2)
    pressure = slow + gusts + rng.normal(0, 0.07, PIECE)
    label = np.zeros(PIECE // WINDOW, dtype=np.int8)
    for k in range(len(label)):
        if rng.random() < 0.22:
            pressure[k * WINDOW:(k + 1) * WINDOW] += vortex(WINDOW, rng)
            label[k] = 1
    return pressure.astype(np.float32), label


def spill(folder, name, number, pressure, label):
    handle, path = tempfile.mkstemp(suffix=".npz", prefix=f"{name}_{number:03d}_", dir=folder)
    with os.fdopen(handle, "wb") as out:
        np.savez(out, pressure=pressure, label=label)
    return path


def simulate(folder):
    for s, name in enumerate(STATIONS):
        for number in range(PIECES):
            spill(folder, name, number, *piece_of_record(s, number))


def read_station(folder, name):
    windows, labels = [], []
    for path in sorted(folder.glob(f"{name}_*.npz")):
        with np.load(path) as piece:
            rows = piece["pressure"].reshape(-1, WINDOW)
            windows.append(rows - rows.mean(axis=1, keepdims=True))
            labels.append(piece["label"])
    return (torch.from_numpy(np.concatenate(windows))[:, None],
            torch.from_numpy(np.concatenate(labels)).float())


class Detector(nn.Module):
    def __init__(self, channels=12):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, channels, 9, padding=4), nn.ReLU(), nn.MaxPool1d(4),
            nn.Conv1d(channels, 2 * channels, 7, padding=3), nn.ReLU(), nn.MaxPool1d(4),
            nn.Conv1d(2 * channels, 2 * channels, 5, padding=2), nn.ReLU(),
        )
        self.out = nn.Sequential(nn.Dropout(0.2), nn.Linear(2 * channels, 1))

    def forward(self, x):
        return self.out(self.features(x).amax(dim=2)).squeeze(1)


def train(model, x, y, epochs=7, batch=48):
    weight = (y == 0).sum() / (y == 1).sum()
    criterion = nn.BCEWithLogitsLoss(pos_weight=weight)
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        model.train()
        losses = []
        for rows in torch.randperm(len(x)).split(batch):
            optimiser.zero_grad()
            loss = criterion(model(x[rows] / 0.8), y[rows])
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        print("epoch %d: loss %.6f" % (epoch + 1, np.mean(losses)))


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        score = model(x / 0.8)
    return average_precision_score(y.numpy(), score.numpy())


def main():
    with tempfile.TemporaryDirectory(prefix="devils-") as scratch:
        folder = Path(scratch)
        simulate(folder)
        stations = {name: read_station(folder, name) for name in STATIONS}

    held_out = STATIONS[-1]
    x = torch.cat([stations[n][0] for n in STATIONS if n != held_out])
    y = torch.cat([stations[n][1] for n in STATIONS if n != held_out])
    print(f"{len(x)} windows of {len(STATIONS) - 1} stations, {int(y.sum())} with a vortex")

    model = Detector()
    train(model, x, y)
    print(f"average precision at {held_out}: {evaluate(model, *stations[held_out]):.6f}")
    torch.save(model.state_dict(), "detector.pt")


if __name__ == "__main__":
    main()
