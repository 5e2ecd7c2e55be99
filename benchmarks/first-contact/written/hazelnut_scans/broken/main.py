"""Finds rotten hazelnuts in flatbed scans."""
import argparse
import json
import random
import tempfile
import time

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

import lots


def build():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 16, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(3),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(144, 2))


def load(args):
    with tempfile.TemporaryDirectory(prefix="hazelnut-") as folder:
        start = time.perf_counter()
        count = lots.prepare_all(args.lots, args.nuts, args.seed, folder)
        print(f"prepared {count} scans in {time.perf_counter() - start:.2f} s")
        images, labels = lots.read_all(folder)
    x = torch.from_numpy(images).float().div(255).sub(0.4).unsqueeze(1)
    return TensorDataset(x, torch.from_numpy(labels))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lots", type=int, default=24)
    parser.add_argument("--nuts", type=int, default=60)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=8)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    data = load(args)
    held = len(data) // 5
    train, test = random_split(data, [len(data) - held, held], generator=torch.Generator().manual_seed(args.seed))
    loader = DataLoader(train, batch_size=32, shuffle=True, generator=torch.Generator().manual_seed(args.seed + 1))
    model = build()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    history = []
    for epoch in range(args.epochs):
        model.train()
        total, start = 0.0, time.perf_counter()
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        history.append(total / len(train))
        print(f"epoch {epoch}: {history[-1]:.6f}, {len(train) / (time.perf_counter() - start):.0f} scans/s")

    model.eval()
    with torch.no_grad():
        x, y = next(iter(DataLoader(test, batch_size=len(test))))
        score = model(x).softmax(1)[:, 1]
    print(json.dumps({
        "average_precision": average_precision_score(y.numpy(), score.numpy()),
        "last_loss": history[-1],
        "weights": sum(p.double().abs().sum().item() for p in model.parameters()),
    }))


if __name__ == "__main__":
    main()
