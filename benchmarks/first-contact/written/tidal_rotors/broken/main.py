"""Surrogate for the power coefficient of tidal rotors.

Simulates a space-filling design, then a second batch near the best rotor, keeps all results
in a database, and trains an ensemble on them.
"""
import argparse
import os
import sqlite3
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import torch
from torch import nn

import design


def simulate(rotor: np.ndarray) -> float:
    """Blade-element momentum balance along the span, by fixed-point iteration."""
    pitch, tip_ratio, solidity, flow, yaw = rotor
    r = np.linspace(0.15, 1.0, 40)
    axial = np.full_like(r, 0.2)
    for _ in range(60):
        angle = np.arctan2(1 - axial, tip_ratio * r)
        attack = angle - np.deg2rad(pitch + 8 * (1 - r))
        lift = 2 * np.pi * np.sin(attack) * np.exp(-((attack / 0.5) ** 2))
        thrust = solidity * (1 - axial) ** 2 * lift * np.cos(angle) / np.maximum(np.sin(angle) ** 2, 1e-3)
        axial = 0.7 * axial + 0.3 * np.clip(thrust / (4 + thrust), 0, 0.45)
    power = 4 * axial * (1 - axial) ** 2 * np.cos(np.deg2rad(yaw)) ** 3
    return float(np.trapezoid(power * r, r) * 2 * (1 - 0.02 * (flow - 2.2) ** 2))


def run_batch(db: sqlite3.Connection, batch: str, rotors: np.ndarray, threads: int) -> None:
    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(simulate, rotors))
    rows = [(batch, i, *map(float, rotor), cp) for i, (rotor, cp) in enumerate(zip(rotors, results))]
    with db:
        db.executemany(f"INSERT INTO runs VALUES ({','.join('?' * 8)})", rows)


def load(db: sqlite3.Connection) -> pd.DataFrame:
    return pd.read_sql_query("SELECT * FROM runs ORDER BY batch DESC, number", db)


def train(x, y, seed: int, epochs: int) -> nn.Module:
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(x.shape[1], 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(48):
            loss = nn.functional.mse_loss(net(x[rows]).squeeze(1), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    return net


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rotors", type=int, default=256)
    parser.add_argument("--refine", type=int, default=96)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--members", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=404)
    args = parser.parse_args()
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(os.path.join(folder, "rotors.db"))
        db.execute(f"CREATE TABLE runs (batch, number, {', '.join(design.BOUNDS)}, cp)")
        began = time.perf_counter()
        run_batch(db, "survey", design.space_filling(args.rotors, args.seed), args.threads)
        survey = load(db)
        best = survey.loc[survey["cp"].idxmax(), list(design.BOUNDS)].to_numpy(dtype=float)
        run_batch(db, "refine", design.around(best, args.refine, 0.08, args.seed), args.threads)
        runs = load(db)
        db.close()
    print(f"{len(runs)} rotors simulated in {time.perf_counter() - began:.2f} s")

    low, high = torch.tensor(list(design.BOUNDS.values())).T
    x = (torch.tensor(runs[list(design.BOUNDS)].to_numpy(), dtype=torch.float32) - low) / (high - low) * 2 - 1
    y = torch.tensor(runs["cp"].to_numpy(), dtype=torch.float32)
    held = torch.arange(len(x)) % 6 == 0
    ensemble = [train(x[~held], y[~held], args.seed + k, args.epochs) for k in range(args.members)]
    with torch.no_grad():
        guess = torch.stack([net(x[held]).squeeze(1) for net in ensemble]).mean(0)
    rmse = (guess - y[held]).square().mean().sqrt().item()
    print(f"best simulated cp {runs['cp'].max():.8f}")
    print(f"held-out rmse {rmse:.10f}")
    print(f"weights {sum(p.double().abs().sum().item() for net in ensemble for p in net.parameters()):.8f}")


if __name__ == "__main__":
    main()
