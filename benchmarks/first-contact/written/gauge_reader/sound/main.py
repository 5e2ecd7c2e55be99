"""Train a small CNN to read the needle of a pressure gauge."""
import argparse
import math
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from dials import SWEEP, GaugeDataset


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--n-train", type=int, default=960)
    p.add_argument("--seed", type=int, default=11)
    p.add_argument("--out", default="gauge.pt")
    return p.parse_args()


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Reader(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(2 * width * 36, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, x):
        return F.normalize(self.head(self.features(x)), dim=1)


@torch.no_grad()
def mean_error(model, loader):
    """Mean absolute error in percent of full scale."""
    model.eval()
    total, n = 0.0, 0
    for x, t in loader:
        p = model(x)
        diff = torch.atan2(p[:, 1], p[:, 0]) - torch.atan2(t[:, 1], t[:, 0])
        diff = torch.remainder(diff + math.pi, 2 * math.pi) - math.pi
        total += (diff.abs() / SWEEP).sum().item()
        n += len(x)
    return 100 * total / n


def main():
    args = parse_args()
    torch.set_num_threads(1)
    seed_all(args.seed)

    train = GaugeDataset(np.random.rand(args.n_train), augment=True)
    val = GaugeDataset(np.linspace(0.01, 0.99, 120))
    train_loader = DataLoader(train, args.batch_size, shuffle=True, num_workers=args.workers)
    val_loader = DataLoader(val, 60)

    model = Reader()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=args.epochs * len(train_loader))

    for epoch in range(args.epochs):
        model.train()
        t0, running = time.time(), 0.0
        for x, t in train_loader:
            loss = F.mse_loss(model(x), t)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
        ips = len(train) / (time.time() - t0)
        print(f"epoch {epoch}  loss {running / len(train_loader):.5f}  "
              f"val {mean_error(model, val_loader):.3f} % FS  {ips:.0f} img/s")

    torch.save(model.state_dict(), args.out)


if __name__ == "__main__":
    main()
