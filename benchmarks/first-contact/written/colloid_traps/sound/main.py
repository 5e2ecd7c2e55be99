#!/usr/bin/env python
"""Trap stiffness from short position records: a surrogate trained on simulated beads."""
import json
import sys

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

from langevin import run_traces

SEED = 8128
N_JOBS = 90


def make_jobs():
    rng = np.random.default_rng(SEED)
    stiffness = np.exp(rng.uniform(np.log(0.01), np.log(0.12), N_JOBS))
    drag = rng.uniform(0.8e-5, 1.6e-5, N_JOBS) * 2
    return [(i, float(k), float(g)) for i, (k, g) in enumerate(zip(stiffness, drag))]


def train(model, loader, epochs):
    criterion = nn.MSELoss()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for epoch in range(epochs):
        running = 0.0
        for features, target in loader:
            optimizer.zero_grad()
            loss = criterion(model(features), target)
            loss.backward()
            optimizer.step()
            running += loss.item()
        scheduler.step()
    return running / len(loader)


def main():
    torch.manual_seed(SEED)
    np.random.seed(SEED)

    jobs = make_jobs()
    traces, busy = run_traces(jobs, SEED)
    print(f"simulated {len(traces)} traps, {busy:.2f} s of work", file=sys.stderr)

    x = torch.tensor(np.log1p(np.abs(np.concatenate(traces))), dtype=torch.float32)
    y = torch.tensor(np.repeat([np.log(k) for _, k, _ in jobs], len(traces[0])), dtype=torch.float32)[:, None]
    data = TensorDataset(x, y + 3.3)
    train_set, val_set = random_split(data, [len(data) - 200, 200], generator=torch.Generator().manual_seed(SEED))
    loader = DataLoader(train_set, batch_size=32, shuffle=True)

    model = nn.Sequential(nn.LayerNorm(x.shape[1]), nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Linear(32, 1))
    final = train(model, loader, epochs=6)
    with torch.no_grad():
        xv, yv = (torch.stack(t) for t in zip(*val_set))
        val = nn.functional.l1_loss(model(xv), yv).item()
    print(f"train {final:.6f}  val {val:.6f}")
    torch.save(model.state_dict(), "stiffness.pt")
    with open("summary.json", "w") as f:
        json.dump({"traps": N_JOBS, "train": final, "val": val}, f, indent=1)


if __name__ == "__main__":
    main()
