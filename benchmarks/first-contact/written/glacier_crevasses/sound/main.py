"""Finds crevasses in radar tiles of a glacier, for the route of a traverse."""
import argparse
import csv
import hashlib
import sys
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from tiles import SwathStream, write_shards


def network() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, stride=2), nn.GroupNorm(3, 12), nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2), nn.GroupNorm(3, 24), nn.ReLU(),
        nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(96, 1), nn.Flatten(0))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=30)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.BCEWithLogitsLoss()
    report = csv.writer(sys.stdout)
    report.writerow(["epoch", "tiles", "loss", "accuracy", "tiles_per_s"])

    with tempfile.TemporaryDirectory(prefix="glacier-") as folder:
        shards = write_shards(Path(folder), args.shards)
        stream = SwathStream(shards, args.seed)
        for epoch in range(args.epochs):
            stream.set_epoch(epoch)
            loader = DataLoader(stream, batch_size=24, num_workers=args.workers)
            started = time.perf_counter()
            seen = right = 0
            total = 0.0
            for images, labels in loader:
                labels = labels.float()
                out = model(images)
                loss = criterion(out, labels)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                seen += len(labels)
                right += int(((out > 0) == (labels > 0.5)).sum())
                total += loss.item() * len(labels)
            rate = seen / (time.perf_counter() - started)
            report.writerow([epoch, seen, f"{total / seen:.6f}", f"{right / seen:.4f}", f"{rate:.0f}"])

    digest = hashlib.blake2b(digest_size=8)
    for value in model.state_dict().values():
        digest.update(value.numpy().tobytes())
    print("weights", digest.hexdigest())


if __name__ == "__main__":
    main()
