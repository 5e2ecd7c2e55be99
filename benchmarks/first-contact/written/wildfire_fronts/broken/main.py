"""An emulator of wildfire growth: simulated burns teach a network the curve of the burnt area."""

import argparse
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from scipy.stats import qmc
from torch import nn

from fires import Burn, simulate


def design(count, seed):
    points = qmc.scale(qmc.Sobol(3, seed=seed).random(count), [0, 0.4, -0.5], [0.9, 0.9, 0.5])
    return [Burn(i, *map(float, p), seed) for i, p in enumerate(points)]


class Emulator(nn.Module):
    def __init__(self, hours, members=4, width=32):
        super().__init__()
        self.members = nn.ModuleList(
            nn.Sequential(nn.Linear(3, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(),
                          nn.Linear(width, hours))
            for _ in range(members))

    def forward(self, x):
        steps = torch.stack([nn.functional.softplus(m(x)) for m in self.members])
        return steps.cumsum(-1)


def pinball(prediction, goal, quantile):
    gap = goal - prediction
    return torch.maximum(quantile * gap, (quantile - 1) * gap).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--burns", type=int, default=192)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1988)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    burns = design(args.burns, args.seed)
    with tempfile.TemporaryDirectory(prefix="burns-") as folder:
        began = time.perf_counter()
        curves = simulate(burns, folder, args.seed)
        print(f"{len(burns) / (time.perf_counter() - began):.0f} burns/s")
        archive = Path(folder) / "curves.pkl"
        archive.write_bytes(pickle.dumps({"burns": burns, "curves": curves}))
        stored = pickle.loads(archive.read_bytes())
        lines = sum(len(p.read_text().splitlines()) for p in Path(folder).glob("pool-*.log"))
        print(f"{lines} lines of log")

    x = torch.tensor([[b.wind, b.dryness, b.slope] for b in stored["burns"]])
    x = (x - x.mean(0)) / x.std(0)
    y = torch.from_numpy(stored["curves"])
    cut = len(x) * 3 // 4

    model = Emulator(y.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    order = torch.Generator().manual_seed(args.seed)
    for epoch in range(args.epochs):
        for rows in torch.randperm(cut, generator=order).split(32):
            loss = sum(pinball(p, y[rows], q)
                       for p, q in zip(model(x[rows]), (0.1, 0.4, 0.6, 0.9)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    with torch.no_grad():
        curve = model(x[cut:])
        inside = ((y[cut:] >= curve[0]) & (y[cut:] <= curve[-1])).float().mean().item()
        rmse = (curve.mean(0) - y[cut:]).square().mean().sqrt().item()
    print(f"mean burnt share {float(np.mean(curves[:, -1])):.6f}")
    print(f"rmse {rmse:.8f} coverage {inside:.4f}")
    print(f"weights {nn.utils.parameters_to_vector(model.parameters()).double().sum().item():.10f}")


if __name__ == "__main__":
    main()
