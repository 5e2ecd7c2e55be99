"""Predict response to treatment from the expression of 400 genes in a small cohort."""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from keeper import SnapshotKeeper


def make_cohort(patients=900, genes=400, seed=8):
    """Negative binomial counts with a few pathways that matter."""
    rng = np.random.default_rng(seed)
    pathway = rng.integers(0, 12, genes)
    activity = rng.normal(0, 0.5, (patients, 12))
    mean = np.exp(2.0 + rng.normal(0, 0.8, genes) + activity[:, pathway])
    counts = rng.poisson(rng.gamma(3.0, mean / 3.0))
    depth = counts.sum(1, keepdims=True)
    x = np.log1p(counts / depth * np.median(depth))
    risk = 1.4 * activity[:, 0] - 1.1 * activity[:, 3] + 0.8 * activity[:, 5] * activity[:, 7]
    y = rng.random(patients) < 1 / (1 + np.exp(-2 * risk))
    x = (x - x.mean(0)) / (x.std(0) + 1e-6)
    return torch.from_numpy(x.astype(np.float32)), torch.from_numpy(y.astype(np.float32))


def build(genes, width):
    return nn.Sequential(
        nn.Linear(genes, width), nn.GELU(), nn.Dropout(0.3),
        nn.Linear(width, width), nn.GELU(), nn.Dropout(0.3),
        nn.Linear(width, 1), nn.Flatten(0),
    )


def make_validator(x, y):
    """Loss over a grid of simulated sequencing depths."""
    levels = torch.linspace(0.6, 1.4, 150)

    def validate(model):
        losses = [nn.functional.binary_cross_entropy_with_logits(model(x * level), y) for level in levels]
        return torch.stack(losses).mean().item()

    return validate


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--lr", type=float, default=2e-4)
    parser.add_argument("--keep", type=int, default=4)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    x, y = make_cohort()
    train, valid, test = slice(0, 600), slice(600, 750), slice(750, 900)
    loader = DataLoader(
        TensorDataset(x[train], y[train]), batch_size=24, shuffle=True,
        generator=torch.Generator().manual_seed(args.seed),
    )
    model = build(x.shape[1], args.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.02)

    with tempfile.TemporaryDirectory(prefix="cohort-") as folder:
        keeper = SnapshotKeeper(model, make_validator(x[valid], y[valid]), folder)
        began = time.monotonic()
        for epoch in range(args.epochs):
            model.train()
            total = 0.0
            for features, response in loader:
                loss = nn.functional.binary_cross_entropy_with_logits(model(features), response)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                total += loss.item()
            keeper.submit(epoch, model)
            print(f"epoch {epoch:2d}  training loss {total / len(loader):.5f}")
        keeper.close()
        print(f"trained in {time.monotonic() - began:.2f} s, {len(list(Path(folder).glob('*.pt')))} snapshots")
        weights, chosen = keeper.soup(args.keep)

    model.load_state_dict(weights)
    model.eval()
    with torch.no_grad():
        logits = model(x[test])
    report = {
        "chosen": chosen,
        "validation": sum(keeper.scores[epoch] for epoch in chosen) / len(chosen),
        "auc": round(float(roc_auc_score(y[test].numpy(), logits.numpy())), 5),
        "test_loss": nn.functional.binary_cross_entropy_with_logits(logits, y[test]).item(),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
