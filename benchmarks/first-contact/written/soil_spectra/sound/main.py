"""Organic carbon of soil plots from near-infrared spectra.

Features are computed per plot in a process pool, then a small network is
trained with k-fold cross-validation.
"""
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field

import numpy as np
import torch
from torch import nn


@dataclass
class Settings:
    plots: int = 72
    bands: int = 600
    workers: int = 3
    folds: int = 4
    epochs: int = 30
    batch: int = 18
    lr: float = 4e-3
    hidden: int = 24
    seed: int = 31
    windows: list = field(default_factory=lambda: [(60, 90), (210, 250), (400, 430), (505, 560)])


def read_plot(plot_id, bands):
    """A stand-in for the spectrometer files: repeated scans of one plot and its lab value."""
    rng = np.random.default_rng(9000 + plot_id)
    carbon = rng.gamma(4.0, 0.6)
    clay = rng.uniform(0.05, 0.5)
    x = np.linspace(0, 1, bands)
    base = 0.2 + 0.5 * x - 0.15 * x**2 - 0.03 * carbon
    dips = [(0.12, 0.015, 0.02 * carbon), (0.38, 0.02, 0.1 * clay), (0.69, 0.015, 0.03 * carbon),
            (0.88, 0.02, 0.15 * clay)]
    for centre, width, depth in dips:
        base = base - depth * np.exp(-0.5 * ((x - centre) / width) ** 2)
    scans = rng.integers(20, 60)
    noise = rng.normal(0, 0.01, (scans, bands)) + rng.normal(0, 0.02, (scans, 1))
    return x, base + noise, carbon


def upper_hull(x, y):
    hull = []
    for px, py in zip(x, y):
        while len(hull) >= 2:
            (ax, ay), (bx, by) = hull[-2], hull[-1]
            if (bx - ax) * (py - ay) - (by - ay) * (px - ax) >= 0:
                hull.pop()
            else:
                break
        hull.append((px, py))
    hx, hy = zip(*hull)
    return np.interp(x, hx, hy)


def plot_features(plot_id, bands, windows):
    x, scans, carbon = read_plot(plot_id, bands)
    kernel = np.hanning(11) / np.hanning(11).sum()
    depths = []
    for scan in scans:
        smooth = np.convolve(scan, kernel, mode="same")[5:-5]
        removed = 1.0 - smooth / upper_hull(x[5:-5], smooth)
        row = []
        for lo, hi in windows:
            row += [removed[lo:hi].max(), removed[lo:hi].mean(), float(removed[lo:hi].argmax())]
        depths.append(row)
    depths = np.asarray(depths)
    row = np.concatenate([np.median(depths, axis=0), depths.std(axis=0)])
    return row.astype(np.float32), np.float32(carbon)


def extract(settings):
    started = time.perf_counter()
    plots = list(range(settings.plots))
    features = {}
    with ProcessPoolExecutor(settings.workers) as pool:
        jobs = {pool.submit(plot_features, p, settings.bands, settings.windows): p for p in plots}
        for job in as_completed(jobs):
            features[jobs[job]] = job.result()
            if len(features) % 24 == 0:
                print(f"  {len(features)}/{len(plots)} plots after {time.perf_counter() - started:.2f} s")
    x = torch.from_numpy(np.stack([features[p][0] for p in plots]))
    y = torch.from_numpy(np.stack([features[p][1] for p in plots]))
    return x, y


def make_network(inputs, hidden):
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.SiLU(), nn.Dropout(0.1), nn.Linear(hidden, hidden), nn.SiLU(),
        nn.Linear(hidden, 1), nn.Flatten(0),
    )


def fit_fold(x, y, train, test, settings):
    mean, std = x[train].mean(0), x[train].std(0) + 1e-6
    x = (x - mean) / std
    net = make_network(x.shape[1], settings.hidden)
    optimizer = torch.optim.Adam(net.parameters(), lr=settings.lr, weight_decay=1e-4)
    for _ in range(settings.epochs):
        net.train()
        for rows in train[torch.randperm(len(train))].split(settings.batch):
            loss = nn.functional.mse_loss(net(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    net.eval()
    with torch.no_grad():
        rmse = nn.functional.mse_loss(net(x[test]), y[test]).sqrt().item()
    return net, rmse


def main():
    settings = Settings()
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    print(f"extracting with {settings.workers} workers (pid {os.getpid()})")
    x, y = extract(settings)

    parts = torch.randperm(len(x)).chunk(settings.folds)
    scores, nets = [], []
    for k, test in enumerate(parts):
        train = torch.cat([part for j, part in enumerate(parts) if j != k])
        net, rmse = fit_fold(x, y, train, test, settings)
        scores.append(rmse)
        nets.append(net.state_dict())
        print(f"fold {k}: rmse {rmse:.5f}")

    with open("scores.json", "w") as f:
        json.dump({"settings": asdict(settings), "rmse": scores, "mean": float(np.mean(scores))}, f, indent=1)
    torch.save(nets, "folds.pt")
    print(f"mean rmse {np.mean(scores):.5f}")


if __name__ == "__main__":
    main()
