"""Tell the dialects of wrens apart from half-second clips."""
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


def build_model(classes: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2), nn.BatchNorm2d(16), nn.ReLU(),
        nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Dropout(0.2), nn.Linear(256, classes))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits = total = 0
    loss = 0.0
    for x, y in loader:
        logits = model(x)
        loss += nn.functional.cross_entropy(logits, y, reduction="sum").item()
        hits += (logits.argmax(1) == y).sum().item()
        total += len(y)
    return hits / total, loss / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per-dialect", type=int, default=90)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--test-percent", type=int, default=25)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="wrens-") as folder:
        root = Path(folder)
        data.write_archive(root, args.per_dialect, np.random.default_rng(args.seed))
        train, test = data.split(data.list_clips(root), args.test_percent)
        print(f"{len(train)} clips to train on, {len(test)} to test")

        loader = DataLoader(data.Songs(train, augment=True), args.batch, shuffle=True, num_workers=2,
                            generator=torch.Generator().manual_seed(args.seed))
        held_out = DataLoader(data.Songs(test, augment=False), 64)

        model = build_model(len(data.DIALECTS))
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
        began = time.perf_counter()
        for epoch in range(args.epochs):
            model.train()
            seen = 0
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                seen += len(y)
            print(f"epoch {epoch + 1}: last batch loss {loss.item():.5f}")
        print(f"{seen * args.epochs / (time.perf_counter() - began):.0f} clips/s")

        accuracy, loss = evaluate(model, held_out)

    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
    print(f"test accuracy {accuracy:.4f}, loss {loss:.8f}")
    print(f"weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
