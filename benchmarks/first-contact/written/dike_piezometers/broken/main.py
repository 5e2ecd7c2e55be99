"""Forecast pore pressure in a dike from many short piezometer records."""
import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from scipy import signal
from torch import nn

WINDOW = 24


def record(number, seed, folder):
    """Simulate one record, filter it as the logger does, and store it."""
    rng = np.random.default_rng([seed, number])
    river = np.cumsum(rng.normal(0, 0.05, 20000))
    taps = signal.firwin(301, 0.01)
    pressure = signal.fftconvolve(river, taps, mode="same")
    pressure = signal.filtfilt(*signal.butter(3, 0.05), pressure) + rng.normal(0, 0.002, len(pressure))
    level = np.stack([river, pressure], 1)[::100].astype(np.float32)
    np.savez_compressed(folder / f"week{number:03d}.npz", level=level)
    return number


def collect(folder, weeks, seed):
    with ThreadPoolExecutor(max_workers=4) as pool:
        done = list(pool.map(lambda n: record(n, seed, folder), range(weeks)))
    return len(done)


def load(folder):
    """Records in the order in which they were logged."""
    files = sorted(folder.glob("*.npz"), key=lambda f: f.stat().st_mtime)
    records = []
    for file in files:
        with np.load(file) as data:
            records.append(torch.from_numpy(data["level"]))
    return records


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 24, batch_first=True)
        self.head = nn.Linear(24, 1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1])[:, 0]


def windows(level):
    level = (level - level.mean(0)) / (level.std(0) + 1e-6)
    x = level.unfold(0, WINDOW, 4).transpose(1, 2)[:-1]
    y = level[WINDOW::4, 1][: len(x)]
    return x[: len(y)], y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=88)
    parser.add_argument("--weeks", type=int, default=48)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        count = collect(folder, args.weeks, args.seed)
        print(f"{count} records in {time.perf_counter() - began:.2f} s")
        records = load(folder)

    cut = int(0.85 * len(records))
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    history = []
    for week, level in enumerate(records[:cut]):
        x, y = windows(level)
        for _ in range(2):
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        history.append({"week": week, "loss": loss.item()})

    frame = pd.DataFrame(history)
    print(frame.groupby(frame.week // 10).loss.mean().to_string())
    with torch.no_grad():
        errors = [nn.functional.mse_loss(model(x), y).item() for x, y in map(windows, records[cut:])]
    print(f"test mse {np.mean(errors):.9f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
