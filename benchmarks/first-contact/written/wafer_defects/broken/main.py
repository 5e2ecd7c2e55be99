"""Wafer-map defect classifier (centre, edge ring, scratch, random) on synthetic maps."""
import csv
import os
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from wafers import WaferMaps, seed_worker


@dataclass
class Config:
    seed: int = 1234
    n_train: int = 640
    n_test: int = 160
    epochs: int = 5
    batch_size: int = 32
    workers: int = 2
    lr: float = 3e-3


class Net(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(16 * 6 * 6, 32), nn.ReLU(), nn.Linear(32, 4),
        )


def make_loader(cfg, dataset, shuffle):
    return DataLoader(
        dataset,
        batch_size=cfg.batch_size,
        shuffle=shuffle,
        num_workers=cfg.workers if shuffle else 0,
        worker_init_fn=seed_worker,
        generator=torch.Generator().manual_seed(cfg.seed),
    )


def evaluate(model, loader):
    model.eval()
    right = seen = 0
    with torch.no_grad():
        for maps, kinds in loader:
            right += int((model(maps).argmax(1) == kinds).sum())
            seen += len(kinds)
    model.train()
    return right / seen


def main():
    cfg = Config()
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    np.random.seed(cfg.seed)
    print(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}] pid {os.getpid()}, {cfg}")

    train = make_loader(cfg, WaferMaps(cfg.n_train, seed=cfg.seed, augment=True), shuffle=True)
    test = make_loader(cfg, WaferMaps(cfg.n_test, seed=cfg.seed + 1, augment=False), shuffle=False)

    model = Net()
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr * 5, momentum=0.9)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr * 10, total_steps=cfg.epochs * len(train))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)

    rows = []
    for epoch in range(1, cfg.epochs + 1):
        running = 0.0
        for maps, kinds in train:
            opt.zero_grad(set_to_none=True)
            loss = criterion(model(maps), kinds)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
        rows.append((epoch, running / len(train), evaluate(model, test)))
        print("epoch %d: loss %.6f, test accuracy %.4f" % rows[-1])

    with open("training.csv", "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(["epoch", "loss", "test_accuracy"])
        writer.writerows(rows)
    torch.save(model.state_dict(), "wafer_net.pt")


if __name__ == "__main__":
    main()
