#!/usr/bin/env python3
# Detect point-machine (railway switch) faults from one throw of the blades.
import argparse
import enum
import json
import pathlib
import time

import numpy as np
import torch
import torch.nn as nn


class Sensor(enum.Enum):
    MOTOR_CURRENT = "A"
    MOTOR_VOLTAGE = "V"
    ROD_FORCE = "kN"
    BLADE_LEFT = "mm"
    BLADE_RIGHT = "mm/r"
    DETECTOR = "bit"
    OIL_TEMP = "degC"
    RAIL_TEMP = "degC/rail"
    VIBRATION_X = "g/x"
    VIBRATION_Y = "g/y"
    HUMIDITY = "%"


FAULTS = ["healthy", "dry slide chairs", "obstruction", "worn brushes", "loose rod"]

# what the depot's machines of type HW have fitted
FITTED = {
    Sensor.MOTOR_CURRENT, Sensor.MOTOR_VOLTAGE, Sensor.ROD_FORCE,
    Sensor.BLADE_LEFT, Sensor.BLADE_RIGHT, Sensor.DETECTOR,
    Sensor.OIL_TEMP, Sensor.VIBRATION_X, Sensor.VIBRATION_Y,
}


def simulate_throw(rng, fault, steps=80):
    """All sensors over one throw, as {sensor: array of shape (steps,)}."""
    t = np.linspace(0, 1, steps)
    rise = 1 / (1 + np.exp(-14 * (t - 0.45 - (0.12 if fault == 1 else 0))))
    load = 1 + 0.8 * np.exp(-((t - 0.1) / 0.05) ** 2)
    load += {1: 0.5 * t, 2: 2.0 * (t > 0.7), 3: 0.3 * np.sin(60 * t), 4: 0.0}.get(fault, 0)
    stop = 0.75 if fault == 2 else 1.0
    slack = 0.15 if fault == 4 else 0.0
    noise = lambda scale: scale * rng.standard_normal(steps)
    return {
        Sensor.MOTOR_CURRENT: load + noise(0.3),
        Sensor.MOTOR_VOLTAGE: 1 - 0.1 * load + noise(0.1),
        Sensor.ROD_FORCE: 0.8 * load * (1 - slack) + noise(0.4),
        Sensor.BLADE_LEFT: stop * rise + noise(0.1),
        Sensor.BLADE_RIGHT: stop * np.roll(rise, int(20 * slack)) + noise(0.1),
        Sensor.DETECTOR: (stop * rise > 0.95).astype(float),
        Sensor.OIL_TEMP: np.full(steps, rng.uniform(-0.5, 0.5)),
        Sensor.RAIL_TEMP: np.full(steps, rng.uniform(-1, 1)),
        Sensor.VIBRATION_X: slack * np.sin(90 * t) + noise(0.3),
        Sensor.VIBRATION_Y: slack * np.cos(90 * t) + noise(0.3),
        Sensor.HUMIDITY: np.full(steps, rng.uniform(0, 1)),
    }


def build_dataset(n, sensors, seed):
    rng = np.random.default_rng(seed)
    faults = rng.integers(len(FAULTS), size=n)
    throws = [simulate_throw(rng, int(f)) for f in faults]
    x = np.array([[throw[s] for s in sensors] for throw in throws], dtype=np.float32)
    return torch.from_numpy(x), torch.from_numpy(faults)


class ThrowNet(nn.Module):
    def __init__(self, channels, classes, hidden=24):
        super().__init__()
        self.inp = nn.Conv1d(channels, hidden, 7, padding=3)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, classes)

    def forward(self, x):
        h = torch.relu(self.inp(x))
        h = nn.functional.avg_pool1d(h, 4)
        _, last = self.gru(h.transpose(1, 2))
        return self.out(last[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--out", default="out", type=pathlib.Path)
    opts = parser.parse_args()

    t0 = time.time()
    torch.manual_seed(opts.seed)
    torch.set_num_threads(1)
    sensors = [s for s in Sensor if s in FITTED]
    x, y = build_dataset(900, sensors, opts.seed)
    x_test, y_test = build_dataset(250, sensors, opts.seed + 1)
    print(len(x), "throws,", len(sensors), "of", len(Sensor), "sensors fitted")

    net = ThrowNet(len(sensors), len(FAULTS))
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    losses = []
    for epoch in range(opts.epochs):
        for batch in torch.randperm(len(x)).split(60):
            loss = nn.functional.cross_entropy(net(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: last loss {losses[-1]:.6f}")

    with torch.no_grad():
        predicted = net(x_test).argmax(1)
    recall = {
        name: float((predicted[y_test == k] == k).float().mean()) for k, name in enumerate(FAULTS)
    }
    opts.out.mkdir(exist_ok=True)
    torch.save(net.state_dict(), opts.out / "thrownet.pt")
    (opts.out / "recall.json").write_text(json.dumps({"recall": recall, "losses": losses}, indent=2))
    for name, value in recall.items():
        print(f"  {name:18s} recall {value:.3f}")
    print(f"done in {time.time() - t0:.1f} s")


if __name__ == "__main__":
    main()
