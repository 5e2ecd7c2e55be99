"""Time-series classifier on hand-made features, one plugin per family of features."""
import random
import time

import numpy as np
import torch
from torch import nn

import features

SEED = 404


def series(kind, rng, n=160):
    t = np.arange(n)
    noise = rng.normal(size=n)
    if kind == 0:
        return np.convolve(noise, np.ones(5) / 5, "same")
    if kind == 1:
        return np.sin(t / rng.uniform(3, 12)) + 0.7 * noise
    if kind == 2:
        return np.cumsum(noise) / 8
    return noise + (rng.random(n) < 0.03) * 4


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)

    registry = features.discover()
    columns = sum(f.columns for f in registry.values())
    print(f"{len(registry)} feature families, {columns} columns")

    labels = rng.integers(0, 4, 700)
    started = time.time()
    rows = []
    for kind in labels:
        x = series(kind, rng)
        rows.append(np.concatenate([f(x) for f in registry.values()]))
    print(f"features took {time.time() - started:.2f} s")
    x = torch.tensor(np.array(rows), dtype=torch.float32)
    y = torch.from_numpy(labels)
    x = (x - x.mean(0)) / x.std(0)

    model = nn.Sequential(nn.Linear(columns, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    for epoch in range(10):
        for idx in torch.randperm(500).split(50):
            loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        logits = model(x[500:])
    test = nn.functional.cross_entropy(logits, y[500:]).item()
    torch.save(model.state_dict(), "series.pt")
    print(f"final test loss {test!r} accuracy {(logits.argmax(1) == y[500:]).float().mean().item():.4f}")


if __name__ == "__main__":
    main()
