"""Predicts the speed at each junction of a road network from a few measured ones."""
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from torch import nn

from roads import build_network, largest_part
from tensors import to_tensors

HERE = Path(__file__).resolve().parent
SEED, JUNCTIONS, STEPS = 12, 3200, 60


class RoadNet(nn.Module):
    def __init__(self, inputs, width=32):
        super().__init__()
        self.first = nn.Linear(2 * inputs, width)
        self.second = nn.Linear(2 * width, width)
        self.out = nn.Linear(width, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mean):
        x = torch.relu(self.first(torch.cat((x, mean @ x), 1)))
        x = torch.relu(self.second(torch.cat((x, mean @ x), 1)))
        return self.out(self.drop(x)).squeeze(1)


class Stopper:
    """Says when the held-out error has not improved for a while."""

    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, float("inf"), 0

    def __call__(self, error):
        self.bad = 0 if error < self.best else self.bad + 1
        self.best = min(self.best, error)
        return self.bad >= self.patience


def main():
    warnings.filterwarnings("ignore", message="Sparse")
    torch.manual_seed(SEED)
    clock = time.perf_counter()
    junctions = largest_part(build_network(JUNCTIONS, SEED))
    x, speed, mean = to_tensors(junctions)
    print(f"{len(junctions)} of {JUNCTIONS} junctions, {mean.values().numel()} links "
          f"({time.perf_counter() - clock:.2f} s)")

    measured = torch.randperm(len(x))[: len(x) // 4]
    train, held_out = measured[: len(measured) * 2 // 3], measured[len(measured) * 2 // 3:]
    centre, scale = speed[train].mean(), speed[train].std()
    target = (speed - centre) / scale
    model = RoadNet(x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    stop = Stopper(patience=15)
    for step in range(STEPS):
        model.train()
        loss = nn.functional.mse_loss(model(x, mean)[train], target[train])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            error = nn.functional.mse_loss(model(x, mean)[held_out], target[held_out]).item()
        if step % 10 == 9:
            print(f"step {step + 1:3d} loss {loss.item():.7f} held out {error:.7f}")
        if stop(error):
            break
    with torch.no_grad():
        predicted = model(x, mean) * scale + centre
    off = (predicted - speed).abs()
    print(f"best held out {stop.best:.7f}; mean error {off.mean().item():.5f} km/h")
    by_name = sorted((j.name, round(p, 4)) for j, p in zip(junctions, predicted.tolist()))
    print("first junctions:", by_name[:3])
    torch.save(model.state_dict(), HERE / "roads.pt")
    np.savez(HERE / "speeds.npz", names=[n for n, _ in by_name], speeds=[s for _, s in by_name])


if __name__ == "__main__":
    main()
