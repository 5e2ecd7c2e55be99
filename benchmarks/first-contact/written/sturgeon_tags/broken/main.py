"""Decodes the tags of migrating sturgeon, with a curriculum from quiet water to rapids."""
import argparse
import csv
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from data import CODES, TagPings


def build():
    return nn.Sequential(
        nn.Unflatten(1, (1, -1)),
        nn.Conv1d(1, 12, 13, stride=2, padding=6),
        nn.ReLU(),
        nn.Conv1d(12, 16, 9, stride=4, padding=4),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(16),
        nn.Flatten(),
        nn.Dropout(0.1),
        nn.Linear(256, CODES),
    )


def train_epoch(model, loader, optimizer, pings, reward):
    model.train()
    total, hits, seen = 0.0, 0, 0
    for waves, codes in loader:
        logits = model(waves)
        loss = nn.functional.cross_entropy(logits, codes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        hits += (logits.argmax(-1) == codes).sum().item()
        seen += len(codes)
        pings.advance(reward / len(loader) * hits / seen)
    return total / len(loader), hits / seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--size", type=int, default=640)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    pings = TagPings(args.size, args.seed)
    loader = DataLoader(
        pings,
        batch_size=16,
        shuffle=True,
        num_workers=args.workers,
        persistent_workers=True,
        generator=torch.Generator().manual_seed(args.seed),
    )
    model = build()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "progress.csv"
        with path.open("w", newline="") as out:
            table = csv.writer(out)
            table.writerow(["epoch", "loss", "hit_rate", "difficulty"])
            for epoch in range(args.epochs):
                started = time.perf_counter()
                loss, rate = train_epoch(model, loader, optimizer, pings, reward=0.4)
                table.writerow([epoch, f"{loss:.7f}", f"{rate:.4f}", f"{pings.difficulty.item():.4f}"])
                speed = len(pings) / (time.perf_counter() - started)
                print(f"epoch {epoch}: {speed:.0f} pings/s")
        print(path.read_text().strip())

    checksum = sum(p.double().abs().sum().item() for p in model.parameters())
    print(f"weights {checksum:.9f}")


if __name__ == "__main__":
    main()
