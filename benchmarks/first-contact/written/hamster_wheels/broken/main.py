#!/usr/bin/env python
"""Classify a hamster's circadian phenotype from two days of wheel revolutions.

    python main.py --cages 400 --epochs 6
"""
import argparse

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset

BIN_MINUTES = 15
BINS = 2 * 24 * 60 // BIN_MINUTES
PHENOTYPES = ("wild type", "tau heterozygote", "tau homozygote")
PERIOD_HOURS = (24.0, 22.0, 20.0)


def record_cages(cages, seed):
    rng = np.random.default_rng(seed)
    minutes = np.arange(BINS) * BIN_MINUTES
    rows = []
    for cage in range(cages):
        kind = int(rng.integers(len(PHENOTYPES)))
        period = PERIOD_HOURS[kind] + rng.normal(0, 0.4)
        onset = rng.uniform(10, 14)
        phase = ((minutes / 60 - onset) % period) / period
        drive = np.where(phase < 0.42, 1 - phase / 0.6, 0.03)
        turns = rng.poisson(120 * drive * rng.uniform(0.6, 1.4))
        rows.append(pd.DataFrame({"cage": cage, "kind": kind, "minute": minutes, "turns": turns}))
    return pd.concat(rows, ignore_index=True)


class WheelDataset(Dataset):
    """One item per cage: log activity, augmented with dropouts of the counter and a slipping clock."""

    def __init__(self, frame, augment):
        wide = frame.pivot(index="cage", columns="minute", values="turns")
        self.series = np.log1p(wide.to_numpy(dtype=np.float32))
        self.kinds = frame.groupby("cage")["kind"].first().to_numpy()
        self.augment = augment

    def __len__(self):
        return len(self.series)

    def __getitem__(self, index):
        series = self.series[index].copy()
        if self.augment:
            series = np.roll(series, np.random.randint(-4, 5))
            gap = np.random.randint(0, BINS - 12)
            series[gap:gap + np.random.randint(1, 12)] = 0.0
            series += np.random.normal(0, 0.1, BINS).astype(np.float32)
        return torch.from_numpy(series)[None], int(self.kinds[index])


def seed_worker(worker_id):
    # numpy's state is inherited from the parent, and would be the same in every worker
    np.random.seed(torch.seed() % 2**32)


def make_model(width=20):
    return nn.Sequential(
        nn.Conv1d(1, width, 9, padding=4), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(width, width, 9, padding=4), nn.ReLU(), nn.MaxPool1d(2),
        nn.Flatten(), nn.Dropout(0.2),
        nn.Linear(width * BINS // 4, 48), nn.ReLU(), nn.Linear(48, len(PHENOTYPES)),
    )


def train_epoch(model, loader, optimizer):
    model.train()
    losses = []
    for series, kinds in loader:
        loss = nn.functional.cross_entropy(model(series), kinds)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return float(np.mean(losses))


@torch.no_grad()
def predict(model, loader):
    model.eval()
    probs, kinds = [], []
    for series, batch_kinds in loader:
        probs.append(model(series).softmax(1))
        kinds.append(batch_kinds)
    return torch.cat(probs), torch.cat(kinds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cages", type=int, default=400)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()

    np.random.seed(args.seed)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)

    frame = record_cages(args.cages, args.seed)
    shuffled = np.random.permutation(args.cages)
    cut = int(args.cages * 0.75)
    train = Subset(WheelDataset(frame, augment=True), shuffled[:cut].tolist())
    test = Subset(WheelDataset(frame, augment=False), shuffled[cut:].tolist())
    train_loader = DataLoader(train, batch_size=20, shuffle=True, num_workers=args.workers,
                              worker_init_fn=seed_worker, persistent_workers=True)
    test_loader = DataLoader(test, batch_size=64)

    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = []
    for epoch in range(args.epochs):
        loss = train_epoch(model, train_loader, optimizer)
        probs, kinds = predict(model, test_loader)
        accuracy = (probs.argmax(1) == kinds).float().mean().item()
        history.append({"epoch": epoch, "loss": loss, "accuracy": accuracy})
    table = pd.DataFrame(history)
    print(table.to_string(index=False, float_format="%.6f"))

    counts = pd.crosstab(kinds.numpy(), probs.argmax(1).numpy(), rownames=["true"], colnames=["guess"])
    print(counts)
    table.to_csv("history.csv", index=False)
    pd.DataFrame(probs.numpy(), columns=PHENOTYPES).to_csv("phenotypes.csv", index=False)


if __name__ == "__main__":
    main()
