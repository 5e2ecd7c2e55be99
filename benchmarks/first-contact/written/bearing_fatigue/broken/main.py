"""Learns the life of a bearing from load and hardness on a simulated test campaign."""
import argparse
import sqlite3
import time

import numpy as np
import pandas as pd
import torch
from torch import nn

from rig import SEED, campaign

NAMES = ["load", "hardness", "ratio", "spread", "log_life"]


def plan(count):
    design = np.random.default_rng(SEED)
    return [(n, float(design.uniform(0.6, 1.6)), float(design.uniform(0.8, 1.4))) for n in range(count)]


def store(rows):
    base = sqlite3.connect(":memory:")
    pd.DataFrame(rows, columns=NAMES).to_sql("tests", base, index_label="number")
    return base


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", type=int, default=180)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--steps", type=int, default=400)
    args = parser.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)

    began = time.perf_counter()
    base = store(campaign(plan(args.tests), args.workers))
    print(f"{args.tests} bearings tested in {time.perf_counter() - began:.2f} s")
    frame = pd.read_sql("SELECT * FROM tests ORDER BY number", base).drop(columns="number")
    values = torch.tensor(frame.to_numpy(np.float32))
    x, y = values[:, :4], values[:, 4]
    x = (x - x.mean(0)) / x.std(0)
    held = args.tests // 5

    model = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Dropout(0.05), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(args.steps):
        rows = held + torch.randint(args.tests - held, (48,))
        loss = nn.functional.mse_loss(model(x[rows]).squeeze(1), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(f"step {step} loss {loss.item():.6f}")
    model.eval()
    with torch.no_grad():
        error = (model(x[:held]).squeeze(1) - y[:held]).square().mean().sqrt().item()
    print(f"held-out RMSE of log life {error:.8f}")
    print(f"weights {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
