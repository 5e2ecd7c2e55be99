"""Ice mass on wind turbine blades from what the nacelle measures."""
import json
import sys

import numpy as np
import torch
from torch import nn

from schedule import Trapezoid

CHANNELS = ["temperature", "humidity", "wind", "power", "pitch", "edge_frequency", "tower_rms"]
WINDOW, STEPS, BATCH = 24, 400, 32


def season(seed, hours=6000):
    """One winter at one turbine, hour by hour; the last column is the ice mass."""
    rng = np.random.default_rng(seed)
    temperature = -2 + 6 * np.sin(np.arange(hours) / 400) + np.cumsum(rng.normal(0, 0.15, hours)) * 0.3
    humidity = np.clip(78 + 14 * np.sin(np.arange(hours) / 90) + rng.normal(0, 5, hours), 20, 100)
    wind = rng.weibull(2.0, hours) * 8
    ice = np.zeros(hours)
    for h in range(1, hours):
        grows = max(0.0, -temperature[h]) * max(0.0, humidity[h] - 80) * 0.004
        ice[h] = ice[h - 1] * (0.80 if temperature[h] > 1 else 0.985) + grows
    power = np.clip(wind ** 3 / 500, 0, 3) * (1 - 0.12 * np.tanh(ice / 3)) + rng.normal(0, 0.1, hours)
    pitch = np.clip(wind - 11, 0, None) * 2 + rng.normal(0, 0.5, hours)
    edge = 1.05 - 0.008 * ice + rng.normal(0, 0.01, hours)
    tower = 0.02 * wind + 0.01 * ice + rng.normal(0, 0.03, hours)
    table = np.stack([temperature, humidity, wind, power, pitch, edge, tower, ice], axis=1)
    return table.astype(np.float32)


def windows(table):
    x = np.lib.stride_tricks.sliding_window_view(table[:, :-1], WINDOW, axis=0)
    return torch.from_numpy(x.copy()).transpose(1, 2), torch.from_numpy(table[WINDOW - 1:, -1].copy())


class IceModel(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.gru = nn.GRU(len(CHANNELS), width, batch_first=True)
        self.out = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, 1))

    def forward(self, x):
        states, _ = self.gru(x)
        return self.out(states[:, -1]).squeeze(1)


def main():
    torch.manual_seed(29)
    x, y = windows(season(seed=1))
    x_test, y_test = windows(season(seed=2, hours=1500))
    mean, std = x.mean((0, 1)), x.std((0, 1))
    x, x_test = (x - mean) / std, (x_test - mean) / std

    model = IceModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = Trapezoid(optimizer, STEPS)
    rows = torch.Generator().manual_seed(30)
    curve = []
    for step in range(STEPS):
        schedule.step()
        pick = torch.randint(len(x), (BATCH,), generator=rows)
        loss = nn.functional.smooth_l1_loss(model(x[pick]), y[pick])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % 80 == 0:
            model.eval()
            with torch.no_grad():
                error = (model(x_test) - y_test).abs().mean().item()
            model.train()
            curve.append(error)
            print(f"step {step + 1}: loss {loss.item():.6f}, test error {error:.6f}")
            late = ", behind the budget" if schedule.overdue() else ""
            print(f"  about {schedule.remaining():.0f} s to go{late}", file=sys.stderr)

    torch.save(model.state_dict(), "icing.pt")
    with open("curve.json", "w") as handle:
        json.dump({"error": curve}, handle)
    print(f"best error {min(curve):.6f}")


if __name__ == "__main__":
    main()
