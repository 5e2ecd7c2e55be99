"""Distils the gimbal's PID loops into one small recurrent policy."""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from rig import fly


class Policy(nn.Module):
    def __init__(self, inputs, hidden=32):
        super().__init__()
        self.gru = nn.GRU(inputs, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 2)

    def forward(self, seen):
        return self.head(self.gru(seen)[0])


def record(folder, flights, ticks, dt, seed):
    """Flies, and keeps each flight in a file, as the rig does."""
    for number, child in enumerate(np.random.SeedSequence(seed).spawn(flights)):
        seen, commanded = fly(np.random.default_rng(child), ticks, dt)
        np.savez(folder / f"flight{number:03d}.npz", seen=seen, commanded=commanded)


def windows(folder, length):
    seen, commanded = [], []
    for path in sorted(folder.glob("flight*.npz")):
        with np.load(path) as flight:
            for start in range(0, len(flight["seen"]) - length + 1, length):
                seen.append(flight["seen"][start:start + length])
                commanded.append(flight["commanded"][start:start + length])
    return torch.from_numpy(np.stack(seen)), torch.from_numpy(np.stack(commanded))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--flights", type=int, default=24)
    parser.add_argument("--ticks", type=int, default=600)
    parser.add_argument("--hertz", type=float, default=100.0)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        begun = time.monotonic()
        record(folder, args.flights, args.ticks, 1 / args.hertz, args.seed)
        print(f"{args.flights} flights recorded in {time.monotonic() - begun:.2f} s")
        seen, commanded = windows(folder, 30)
        scale = seen.reshape(-1, seen.shape[-1]).std(0)
        data = TensorDataset(seen / scale, commanded)
        keep = len(data) * 5 // 6
        loader = DataLoader(
            torch.utils.data.Subset(data, range(keep)), batch_size=40, shuffle=True,
            generator=torch.Generator().manual_seed(args.seed),
        )
        policy = Policy(seen.shape[-1])
        optimizer = torch.optim.Adam(policy.parameters(), lr=4e-3)
        history = []
        for epoch in range(args.epochs):
            total = 0.0
            for inputs, targets in loader:
                loss = nn.functional.smooth_l1_loss(policy(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            history.append(total / len(loader))
        (folder / "history.json").write_text(json.dumps(history))
        with torch.no_grad():
            inputs, targets = data[keep:]
            error = (policy(inputs) - targets).abs().mean().item()
    print("history", " ".join(f"{value:.6f}" for value in history))
    print(f"mean command error {error!r}")
    print("weight sum", sum(p.double().sum().item() for p in policy.parameters()))


if __name__ == "__main__":
    main()
