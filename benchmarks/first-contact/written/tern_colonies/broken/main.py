"""A surrogate for the colony model: from its parameters to the epidemic curve."""
import argparse
import csv
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from colony import outbreak


def simulate(args, path):
    rng = np.random.default_rng(args.seed)
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["outbreak", "beta", "recovery", "day", "fresh", "shedding"])
        for k in range(args.outbreaks):
            beta, recovery = rng.uniform(0.35, 0.7), rng.uniform(0.01, 0.03)
            curve = outbreak(args.side, beta, recovery, args.days, seed=args.seed + k)
            for day, (fresh, shedding) in enumerate(curve):
                writer.writerow([k, beta, recovery, day, fresh, shedding])


def load(path, birds):
    table = pd.read_csv(path)
    inputs = table[["beta", "recovery", "day"]].to_numpy(np.float32)
    inputs = (inputs - inputs.mean(0)) / inputs.std(0)
    targets = table[["fresh", "shedding"]].to_numpy(np.float32) / birds
    return torch.from_numpy(inputs), torch.from_numpy(targets), table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=60)
    parser.add_argument("--days", type=int, default=22)
    parser.add_argument("--outbreaks", type=int, default=9)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seed", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as tmp:
        path = Path(tmp) / "curves.csv"
        started = time.perf_counter()
        simulate(args, path)
        print(f"simulated {args.outbreaks} outbreaks ({time.perf_counter() - started:.2f} s)")
        x, y, table = load(path, args.side ** 2)
    peaks = table.groupby("outbreak")["shedding"].max()
    print("peaks:", " ".join(map(str, peaks)))

    model = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    order = torch.Generator().manual_seed(args.seed)
    for step in range(args.steps):
        rows = torch.randperm(len(x), generator=order)[:64]
        loss = nn.functional.mse_loss(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        error = (model(x) - y).abs().mean(0)
    print(f"mean error: fresh {error[0]:.8f}, shedding {error[1]:.8f}")
    print(f"checksum {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
