"""Learns the pKa of an acid from its titration curve, with one fold held out."""
import argparse
import hashlib
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

import data


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vials", type=int, default=360)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


class CurveNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, width, 5, padding=2), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, 2 * width, 5, stride=2, padding=2), nn.BatchNorm1d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool1d(6), nn.Flatten())
        self.head = nn.Sequential(nn.Dropout(0.1), nn.Linear(12 * width, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.head(self.features(x)).squeeze(-1)


@torch.no_grad()
def mean_error(model, vials):
    model.eval()
    errors = [(model(x) - y).abs() * 2.0 for x, y in DataLoader(data.Curves(vials), batch_size=64)]
    model.train()
    return torch.cat(errors).mean().item()


def main():
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="titration_") as scratch:
        root = Path(scratch)
        data.export_plates(root, args.vials, args.seed)
        vials = data.read_labels(root)
        training, held_out = data.split(vials, args.fold, args.folds)

        order = torch.Generator().manual_seed(args.seed + 1)
        loader = DataLoader(data.Curves(training, jitter=0.02), batch_size=24, shuffle=True, generator=order,
                            num_workers=2, persistent_workers=True)
        model = CurveNet()
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
        loss_of = nn.SmoothL1Loss(beta=0.2)
        started = time.perf_counter()
        for epoch in range(args.epochs):
            total, seen = 0.0, 0
            for curves, targets in loader:
                loss = loss_of(model(curves), targets)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                total += loss.item() * len(targets)
                seen += len(targets)
            print(f"epoch {epoch}  training loss {total / seen:.5f}")
        print(f"trained in {time.perf_counter() - started:.2f} s")
        error = mean_error(model, held_out)

    digest = hashlib.sha256()
    for value in model.state_dict().values():
        digest.update(value.numpy().tobytes())
    print(f"mean error {error:.6f} pKa  weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
