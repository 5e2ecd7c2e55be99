"""Above-ground biomass of forest plots from LiDAR returns.

Step 1 rasterises the point cloud of every plot into a height profile (one file per plot, since the
real clouds don't fit in memory together); step 2 trains a small network on the profiles.
"""
import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

from pointcloud import height_profile, scan_plot


def rasterise(plot_ids, folder):
    """Write one profile per plot into folder."""
    for number, plot_id in enumerate(plot_ids):
        points, biomass = scan_plot(plot_id)
        profile = height_profile(points, cells=6, layers=12)
        with open(folder / f"plot_{number:05d}.npz", "wb") as f:
            np.savez(f, profile=profile, biomass=biomass)


def load_profiles(folder):
    profiles, targets = [], []
    for path in sorted(folder.glob("plot_*.npz")):
        with np.load(path) as data:
            profiles.append(data["profile"])
            targets.append(data["biomass"])
    return torch.tensor(np.array(profiles)), torch.tensor(np.array(targets), dtype=torch.float32)


def fit(x, y, epochs, lr):
    model = nn.Sequential(
        nn.Conv2d(x.shape[1], 24, 3, padding=1), nn.ReLU(),
        nn.Conv2d(24, 24, 3), nn.ReLU(),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(24 * 16, 32), nn.ReLU(), nn.Linear(32, 1),
    )
    optimiser = torch.optim.RMSprop(model.parameters(), lr=lr)
    for epoch in range(epochs):
        model.train()
        losses = []
        for idx in torch.randperm(len(x)).split(16):
            loss = nn.functional.huber_loss(model(x[idx]).squeeze(1), y[idx])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        yield epoch, float(np.mean(losses)), model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plots", type=int, default=240)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--lr", type=float, default=5e-4)
    parser.add_argument("--scratch", type=Path, default=None, help="where the profiles go meanwhile")
    args = parser.parse_args()

    torch.manual_seed(2021)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(dir=args.scratch, prefix="forest-") as scratch:
        start = time.perf_counter()
        rasterise(range(1000, 1000 + args.plots), Path(scratch))
        print(f"rasterised {args.plots} plots into {scratch} in {time.perf_counter() - start:.1f} s")
        x, y = load_profiles(Path(scratch))

    n_train = int(0.75 * len(x))
    mean, std = y[:n_train].mean(), y[:n_train].std()
    z = (y - mean) / std

    log = []
    for epoch, loss, model in fit(x[:n_train], z[:n_train], args.epochs, args.lr):
        model.eval()
        with torch.no_grad():
            guess = model(x[n_train:]).squeeze(1) * std + mean
        rmse = (guess - y[n_train:]).square().mean().sqrt().item()
        log.append({"epoch": epoch, "huber": loss, "rmse_t_ha": rmse})
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:3d}: huber {loss:.5f}, rmse {rmse:.3f} t/ha")

    pd.DataFrame(log).to_csv("biomass_log.csv", index=False)
    torch.save(model.state_dict(), "biomass.pt")


if __name__ == "__main__":
    main()
