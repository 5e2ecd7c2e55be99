"""Significant wave height six hours ahead, learned from the archive of all buoys together."""
import asyncio
import json
import time
from pathlib import Path

import torch
import torch.nn as nn

from archive_reader import read_archive

LAGS = 18
AHEAD = 6


def samples(station):
    """Sliding windows of one buoy: (windows, features * LAGS) and the target."""
    series = torch.tensor(station.values, dtype=torch.float32)
    windows = series.unfold(0, LAGS, 1)[: -AHEAD]
    target = series[LAGS + AHEAD - 1:, 0]
    return windows.flatten(1), target


class Forecaster(nn.Module):
    def __init__(self, n_inputs):
        super().__init__()
        self.hidden = nn.Linear(n_inputs, 40)
        self.gate = nn.Linear(n_inputs, 40)
        self.out = nn.Linear(40, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)) * torch.sigmoid(self.gate(x))).squeeze(-1)


def main():
    torch.manual_seed(11)
    torch.set_num_threads(1)

    t0 = time.perf_counter()
    stations = asyncio.run(read_archive(Path(__file__).with_name("archive")))
    print(f"{len(stations)} buoys read in {time.perf_counter() - t0:.2f} s")

    parts = [samples(station) for station in stations]
    x = torch.cat([part[0] for part in parts])
    y = torch.cat([part[1] for part in parts])
    x = (x - x.mean(0)) / x.std(0)
    pick = torch.randperm(len(x))
    cut = len(x) * 4 // 5
    train, test = pick[:cut], pick[cut:]

    model = Forecaster(x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.85)
    curve = []
    for epoch in range(10):
        for rows in train[torch.randperm(len(train))].split(64):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
        with torch.no_grad():
            curve.append((model(x[test]) - y[test]).square().mean().sqrt().item())
        print(f"epoch {epoch + 1:2d}  rmse {curve[-1]:.5f} m")

    torch.save(model.state_dict(), "forecaster.pt")
    Path("curve.json").write_text(json.dumps(curve))


if __name__ == "__main__":
    main()
