"""Trains an emulator of drifters in a whirlpool on trajectories simulated in parallel."""
import argparse
import contextlib
import json
import shutil
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

import shards


@contextlib.contextmanager
def timed(what, durations):
    start = time.perf_counter()
    yield
    durations[what] = round(time.perf_counter() - start, 3)


class Emulator(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.outer = nn.Linear(hidden, 2)
        self.register_buffer("shift", torch.zeros(4))
        self.register_buffer("scale", torch.ones(4))

    def standardize(self, x):
        self.shift.copy_(x.mean(0))
        self.scale.copy_(x.std(0))

    def forward(self, x):
        return self.outer(self.inner((x - self.shift) / self.scale))


def train(model, data, epochs, lr, seed):
    loader = DataLoader(data, batch_size=64, shuffle=True, generator=torch.Generator().manual_seed(seed))
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, lr, total_steps=epochs * len(loader))
    for epoch in range(epochs):
        total = 0.0
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch}: {total / len(loader):.6f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=32)
    parser.add_argument("--drifters", type=int, default=90)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=2024)
    args = parser.parse_args()
    torch.set_num_threads(1)
    durations = {}

    folder = tempfile.mkdtemp(prefix="whirlpool-")
    try:
        with timed("simulation", durations):
            count = shards.simulate_all(folder, args.shards, args.drifters, args.seed)
        x, y = (torch.from_numpy(part) for part in shards.read_all(folder))
    finally:
        shutil.rmtree(folder)
    print(f"{count} drifters, mean end {np.abs(y.double().numpy()).mean():.4f}")

    torch.manual_seed(args.seed)
    data = TensorDataset(x, y)
    held_out = len(data) // 5
    training, test = random_split(data, [len(data) - held_out, held_out],
                                  generator=torch.Generator().manual_seed(args.seed))
    model = Emulator()
    model.standardize(x[training.indices])
    with timed("training", durations):
        train(model, training, args.epochs, args.lr, args.seed)

    model.eval()
    with torch.no_grad():
        inputs, targets = data[test.indices]
        error = (model(inputs) - targets).square().sum(1).sqrt().mean().item()
    print(json.dumps({"seconds": durations}))
    print(f"mean distance {error:.7f}  weights {sum(p.double().abs().sum() for p in model.parameters()).item():.10f}")


if __name__ == "__main__":
    main()
