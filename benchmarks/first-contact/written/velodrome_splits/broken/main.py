"""Predict the next half-lap split of a pursuit rider from power, cadence and the splits so far."""
import argparse
import copy
import hashlib
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from snapshots import SnapshotWriter, restore


def ride(rng, riders, laps):
    """Splits of riders who pace themselves, tire, and are slowed by wind from the doors."""
    strength = rng.normal(1.0, 0.06, size=(riders, 1))
    fatigue = rng.gamma(2.0, 0.004, size=(riders, 1)) * np.arange(laps)
    power = 420 * strength * (1.0 - fatigue) + rng.normal(0, 12, size=(riders, laps))
    cadence = 104 + 8 * rng.normal(size=(riders, 1)) + rng.normal(0, 1.5, size=(riders, laps))
    split = 8.1 * (420 / power) ** (1 / 3) + 0.01 * np.abs(cadence - 106)
    split[:, 0] += 3.0
    split += rng.normal(0, 0.05, size=split.shape)
    features = np.stack([power / 420 - 1, cadence / 104 - 1, split - 8.1], axis=2)
    return torch.tensor(features, dtype=torch.float32)


class Pacer(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.gru = nn.GRU(3, hidden, num_layers=2, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.head(self.gru(x)[0]).squeeze(-1)


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.waited = patience, float("inf"), 0

    def improved(self, value):
        if value < self.best:
            self.best, self.waited = value, 0
            return True
        self.waited += 1
        return False

    @property
    def exhausted(self):
        return self.waited >= self.patience


def loss_of(model, batch):
    return nn.functional.smooth_l1_loss(model(batch[:, :-1]), batch[:, 1:, 2], beta=0.1)


@torch.no_grad()
def evaluate(model, rides):
    return loss_of(model, rides).item()


def train_epoch(model, optimizer, loader):
    for (batch,) in loader:
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--riders", type=int, default=560)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--patience", type=int, default=3)
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rides = ride(np.random.default_rng(args.seed), args.riders, laps=12)
    train, valid, sprint = rides.split([args.riders - 192, 128, 64])
    loader = DataLoader(TensorDataset(train), batch_size=12, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))

    model = Pacer()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    stopping = EarlyStopping(args.patience)
    with tempfile.TemporaryDirectory(prefix="splits-") as name:
        folder = Path(name)
        writer = SnapshotWriter(folder)
        started = time.perf_counter()
        for epoch in range(args.epochs):
            train_epoch(model, optimizer, loader)
            value = evaluate(model, valid)
            print(f"epoch {epoch:2d}  valid {value:.6f}")
            if stopping.improved(value):
                writer.submit("best", model, epoch=epoch, valid=value)
            elif stopping.exhausted:
                break
        print(f"trained in {time.perf_counter() - started:.2f} s")
        writer.close()
        state, facts = restore(folder, "best")

    model.load_state_dict(state)
    print(f"back to epoch {facts['epoch']} with valid {facts['valid']:.6f}")

    # the sprint squad rides other gears: only the head is tuned for it
    tuned = copy.deepcopy(model)
    tuned.gru.requires_grad_(False)
    optimizer = torch.optim.SGD(tuned.head.parameters(), lr=0.05, momentum=0.9)
    squad = DataLoader(TensorDataset(sprint[:48]), batch_size=12)
    for _ in range(4):
        train_epoch(tuned, optimizer, squad)

    digest = hashlib.sha1(b"".join(p.detach().numpy().tobytes() for p in tuned.parameters()))
    print(f"sprint loss {evaluate(tuned, sprint[48:]):.9f}  weights {digest.hexdigest()[:12]}")


if __name__ == "__main__":
    main()
