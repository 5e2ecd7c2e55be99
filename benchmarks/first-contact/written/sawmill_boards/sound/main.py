"""Grade the bending strength of sawn boards from scanner features.

A small grid of regressors is trained on the same boards; every trial gets its
own random stream so that adding a trial does not shift the others.
"""
import argparse
import itertools
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

FEATURES = ["knot_area", "ring_width", "density", "slope_of_grain", "moisture",
            "dynamic_mod", "width_mm", "thickness_mm"]


@dataclass(frozen=True)
class Trial:
    width: int
    depth: int
    lr: float
    activation: Callable = F.relu
    dropout: float = 0.1

    @property
    def label(self):
        return f"w{self.width}-d{self.depth}-lr{self.lr:g}-{self.activation.__name__}"

    def seed(self, base):
        return base + zlib.crc32(self.label.encode()) % 100_000


class StrengthNet(nn.Module):
    def __init__(self, trial):
        super().__init__()
        sizes = [len(FEATURES)] + [trial.width] * trial.depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.head = nn.Linear(sizes[-1], 1)
        self.activation = trial.activation
        self.dropout = trial.dropout

    def forward(self, x):
        for layer in self.layers:
            x = self.activation(layer(x))
            x = F.dropout(x, self.dropout, self.training)
        return self.head(x).squeeze(-1)


def make_boards(n, seed):
    """Boards as the line scanner sees them; strength in MPa."""
    rng = np.random.default_rng(seed)
    knots = rng.beta(1.5, 6.0, n)
    rings = rng.gamma(6.0, 0.4, n)
    density = 470 - 22 * (rings - 2.4) + rng.normal(0, 25, n)
    slope = np.abs(rng.normal(0, 4, n))
    moisture = rng.normal(14, 2.2, n)
    modulus = 0.026 * density - 9 * knots + rng.normal(0, 0.8, n)
    width = rng.choice([100, 125, 150, 200], n)
    thick = rng.choice([38, 45, 50], n)
    strength = (4.1 * modulus - 38 * knots - 0.7 * slope - 0.5 * (moisture - 12)
                + 0.02 * (density - 450) - 0.02 * (width - 150) + rng.normal(0, 3.5, n))
    x = np.column_stack([knots, rings, density, slope, moisture, modulus, width, thick])
    x = (x - x.mean(0)) / x.std(0)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(strength, dtype=torch.float32)


def split(x, y, seed):
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    cut = int(0.8 * len(x))
    return (x[order[:cut]], y[order[:cut]]), (x[order[cut:]], y[order[cut:]])


def fit(trial, train, args):
    torch.manual_seed(trial.seed(args.seed))
    x, y = train
    mean, std = y.mean(), y.std()
    model = StrengthNet(trial)
    optimizer = torch.optim.AdamW(model.parameters(), lr=trial.lr, weight_decay=1e-3)
    for _ in range(args.epochs):
        for rows in torch.randperm(len(x)).split(args.batch_size):
            optimizer.zero_grad()
            loss = F.smooth_l1_loss(model(x[rows]), (y[rows] - mean) / std)
            loss.backward()
            optimizer.step()
    return model.eval(), mean, std


@torch.no_grad()
def rmse(fitted, test):
    model, mean, std = fitted
    x, y = test
    return (model(x) * std + mean - y).pow(2).mean().sqrt().item()


def grid():
    for width, depth, act in itertools.product([24, 48], [1, 2], [F.relu, F.silu, F.elu]):
        yield Trial(width=width, depth=depth, lr=3e-3, activation=act)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=2500)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--out", type=Path, default=Path("out"))
    args = parser.parse_args()

    x, y = make_boards(args.boards, args.seed)
    train, test = split(x, y, args.seed)
    args.out.mkdir(exist_ok=True)

    table = []
    best = None
    for trial in grid():
        fitted = fit(trial, train, args)
        error = rmse(fitted, test)
        table.append({"trial": trial.label, "rmse_mpa": error})
        print(f"{trial.label:<24} rmse {error:.5f} MPa")
        if best is None or error < best[0]:
            best = (error, trial, fitted[0])

    table.sort(key=lambda row: row["rmse_mpa"])
    (args.out / "grid.json").write_text(json.dumps(table, indent=1))
    torch.save(best[2].state_dict(), args.out / "best.pt")
    print(f"best: {best[1].label} at {best[0]:.5f} MPa")


if __name__ == "__main__":
    main()
