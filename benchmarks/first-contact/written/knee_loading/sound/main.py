# Knee adduction moment from gait-lab kinematics: which small network is enough?
# Each variant is fitted on its own subjects' split so the comparison is not one lucky draw.
import csv
from itertools import product

import numpy as np
import torch

from cohort import load_strides
from variants import Variant

STEPS = 100
FOLDS = 2

GRID = [
    Variant(width=w, depth=d, activation=a, lr=lr)
    for (w, d), a, lr in product(
        [(16, 1), (24, 2)], [torch.tanh, torch.relu, torch.sigmoid], [3e-3]
    )
]


def split_subjects(subjects, rng):
    ids = np.unique(subjects)
    rng.shuffle(ids)
    return np.array_split(ids, FOLDS)


def standardise(x, mask):
    mean, std = x[mask].mean(0), x[mask].std(0)
    return (x - mean) / (std + 1e-6)


def fit(variant, x, y, rng):
    net = variant.build(x.shape[1], y.shape[1])
    opt = torch.optim.Adam(net.parameters(), lr=variant.lr)
    for _ in range(STEPS):
        pick = torch.from_numpy(rng.integers(0, len(x), 64))
        loss = (net(x[pick]) - y[pick]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net


def score(net, x, y):
    with torch.no_grad():
        out = net(x)
    rmse = (out - y).square().mean().sqrt().item()
    peak = (out.amax(1) - y.amax(1)).abs().mean().item()
    return rmse, peak


def run_variant(variant, kinematics, moments, subjects):
    seed = variant.seed()
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    rows, nets = [], []
    for fold, held_out in enumerate(split_subjects(subjects, rng)):
        test = torch.from_numpy(np.isin(subjects, held_out))
        x = standardise(kinematics, ~test)
        net = fit(variant, x[~test], moments[~test], rng)
        rmse, peak = score(net, x[test], moments[test])
        rows.append({"variant": variant.tag, "fold": fold, "rmse": rmse, "peak": peak})
        nets.append(net.state_dict())
    return rows, nets


def main():
    kinematics, moments, subjects = load_strides()
    print(f"{len(kinematics)} strides of {len(np.unique(subjects))} subjects")

    table, weights = [], {}
    for variant in GRID:
        rows, nets = run_variant(variant, kinematics, moments, subjects)
        table += rows
        weights[variant.tag] = nets
        rmse = np.mean([r["rmse"] for r in rows])
        peak = np.mean([r["peak"] for r in rows])
        print(f"{variant.tag:<16} rmse {rmse:.5f}  peak error {peak:.5f}")

    with open("variants.csv", "w", newline="") as f:
        out = csv.DictWriter(f, fieldnames=list(table[0]))
        out.writeheader()
        out.writerows(table)
    torch.save(weights, "variants.pt")

    best = min(GRID, key=lambda v: np.mean([r["rmse"] for r in table if r["variant"] == v.tag]))
    print("take", best.tag)


if __name__ == "__main__":
    main()
