"""Train a small CNN on shapes."""
import argparse
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from data import CLASSES, loaders


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Net(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(16 * 6 * 6, n_classes)

    def forward(self, x):
        return self.head(self.drop(self.features(x).flatten(1)))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss = correct = total = 0
    for x, y in loader:
        out = model(x)
        loss += F.cross_entropy(out, y, reduction="sum").item()
        correct += (out.argmax(1) == y).sum().item()
        total += len(y)
    return loss / total, correct / total


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=50)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--seed", type=int, default=42)
    args = p.parse_args()

    seed_everything(args.seed)
    train, valid = loaders(args.batch_size, args.workers)
    model = Net(len(CLASSES))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(args.epochs):
        t0 = time.time()
        model.train()
        running = 0.0
        for x, y in train:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(y)
        vl, va = evaluate(model, valid)
        print(f"epoch {epoch}  train {running / len(train.dataset):.6f}  valid {vl:.6f}  acc {va:.4f}"
              f"  ({time.time() - t0:.1f}s)")
    torch.save(model.state_dict(), "shapes_cnn.pt")


if __name__ == "__main__":
    main()
