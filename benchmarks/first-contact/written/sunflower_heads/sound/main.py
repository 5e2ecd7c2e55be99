"""Tell regular sunflower heads from disturbed ones."""
import argparse
import hashlib
import random
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from heads import render_heads


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def build():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(256, 2),
    )


def digest(model):
    h = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        h.update(name.encode())
        h.update(tensor.numpy().tobytes())
    return h.hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heads", type=int, default=320)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()

    seed_all(args.seed)
    labels = np.random.default_rng(args.seed).permutation(args.heads) % 2
    started = time.perf_counter()
    images = render_heads(labels, args.seed, args.workers)
    took = time.perf_counter() - started
    print(f"rendered {len(images)} heads in {took:.2f} s")

    x = torch.from_numpy(images).unsqueeze(1)
    x = (x - x.mean()) / x.std()
    y = torch.from_numpy(labels).long()
    held = args.heads // 4
    loader = DataLoader(
        TensorDataset(x[held:], y[held:]), batch_size=24, shuffle=True,
        generator=torch.Generator().manual_seed(args.seed),
    )
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(yb)
        print(f"epoch {epoch}  loss {total / (args.heads - held):.6f}")
    model.eval()
    with torch.no_grad():
        accuracy = (model(x[:held]).argmax(1) == y[:held]).float().mean().item()
    print(f"held-out accuracy {accuracy:.4f}  weights {digest(model)}")


if __name__ == "__main__":
    main()
