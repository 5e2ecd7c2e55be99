"""Fly a pan-tilt camera head through step responses, and learn a model of its pan axis."""
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from controller import PID

SEED = 12
PERIOD = 0.002
TICKS = 90


@dataclass
class PanAxis:
    """DC motor with friction and a noisy encoder, stepped at the control period."""

    rng: np.random.Generator
    angle: float = 0.0
    velocity: float = 0.0
    torque_gain: float = 85.0
    damping: float = 14.0
    stiction: float = 0.4

    def step(self, volts):
        push = self.torque_gain * volts - self.damping * self.velocity - self.stiction * np.tanh(self.velocity / 0.01)
        self.velocity += push * PERIOD
        self.angle += self.velocity * PERIOD
        return self.encoder()

    def encoder(self):
        counts = 4096 / (2 * np.pi)
        return float(round((self.angle + self.rng.normal(0, 4e-4)) * counts) / counts)


class Rate:
    """Sleeps the rest of each control period."""

    def __init__(self, period):
        self.period = period
        self.due = time.monotonic() + period

    def sleep(self):
        time.sleep(max(0.0, self.due - time.monotonic()))
        self.due += self.period


def fly(target, pid, axis, rate):
    measured = axis.encoder()
    pid.reset()
    rows = []
    for tick in range(TICKS):
        rate.sleep()
        volts = pid.update(target, measured)
        after = axis.step(volts)
        rows.append({"tick": tick, "target": target, "measured": measured, "velocity": axis.velocity,
                     "volts": volts, "change": after - measured})
        measured = after
    return rows


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    pid = PID(kp=16.0, ki=20.0, kd=0.6, sample_time=PERIOD)
    axis = PanAxis(rng)
    rate = Rate(PERIOD)

    with tempfile.TemporaryDirectory(prefix="pantilt-") as tmp:
        log = Path(tmp) / "flight.jsonl"
        with open(log, "w") as out:
            for target in (0.6, -0.4, 1.1, 0.2, -0.9):
                for row in fly(target, pid, axis, rate):
                    out.write(json.dumps(row) + "\n")
        frame = pd.read_json(log, lines=True)
    print(f"{len(frame)} ticks, worst period {pid.worst_gap * 1e3:.1f} ms")

    columns = ["measured", "velocity", "volts"]
    inputs = frame[columns]
    scaled = (inputs - inputs.mean()) / inputs.std()
    change = frame["change"] / frame["change"].std()
    x = torch.tensor(scaled.to_numpy(), dtype=torch.float32)
    y = torch.tensor(change.to_numpy(), dtype=torch.float32)
    test = np.arange(len(x)) % 5 == 4
    loader = DataLoader(TensorDataset(x[~test], y[~test]), batch_size=32, shuffle=True)
    net = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for epoch in range(12):
        for xb, yb in loader:
            loss = nn.functional.mse_loss(net(xb).squeeze(1), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 4 == 3:
            print(f"epoch {epoch + 1:2d}  loss {loss.item():.6f}")
    with torch.no_grad():
        error = nn.functional.mse_loss(net(x[test]).squeeze(1), y[test]).item()
    settle = frame.groupby("target", sort=False)["measured"].last()
    print("settled at", ", ".join(f"{v:+.4f}" for v in settle))
    print(f"test error {error:.10f}")


if __name__ == "__main__":
    main()
