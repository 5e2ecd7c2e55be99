"""Classify hydrophone clips from water mains: no leak / pinhole / joint leak / burst.

    python main.py --epochs 9 --augment-from 6
"""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from signals import CLASSES, Augmenter, make_clips


def parse_args():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--epochs", type=int, default=9)
    p.add_argument("--augment-from", type=int, default=6, help="first epoch that sees augmented clips")
    p.add_argument("--batch-size", type=int, default=48)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--out", type=Path, default=Path("leak_model"))
    return p.parse_args()


class LeakNet(nn.Module):
    def __init__(self, n_classes, width=12):
        super().__init__()
        self.conv1 = nn.Conv1d(1, width, 15, stride=4, padding=7)
        self.conv2 = nn.Conv1d(width, 2 * width, 9, stride=4, padding=4)
        self.conv3 = nn.Conv1d(2 * width, 2 * width, 5, stride=2, padding=2)
        self.norm = nn.BatchNorm1d(2 * width)
        self.head = nn.Linear(4 * width, n_classes)

    def forward(self, x):
        x = F.relu(self.conv1(x.unsqueeze(1)))
        x = F.relu(self.conv2(x))
        x = F.relu(self.norm(self.conv3(x)))
        pooled = torch.cat([x.mean(-1), x.amax(-1)], dim=1)
        return self.head(F.dropout(pooled, 0.1, self.training))


@torch.no_grad()
def accuracy(model, clips, labels):
    model.eval()
    hits = (model(clips).argmax(1) == labels).sum().item()
    model.train()
    return hits / len(labels)


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)  # the clips are short, more threads only get in each other's way

    clips, labels = make_clips(n_per_class=160, length=512, seed=31)
    order = np.random.default_rng(5).permutation(len(clips))
    n_val = len(clips) // 5
    val, train = order[:n_val], order[n_val:]
    val_x, val_y = torch.from_numpy(clips[val]), torch.from_numpy(labels[val])

    augment = Augmenter(args.seed, max_shift=64, noise=0.08)
    model = LeakNet(len(CLASSES))
    optim = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)

    history = []
    for epoch in range(args.epochs):
        started = time.perf_counter()
        perm = torch.randperm(len(train)).numpy()
        total = 0.0
        for i in range(0, len(perm), args.batch_size):
            idx = train[perm[i:i + args.batch_size]]
            batch = clips[idx]
            if epoch >= args.augment_from:
                batch = augment(batch)
            loss = F.cross_entropy(model(torch.from_numpy(batch)), torch.from_numpy(labels[idx]))
            optim.zero_grad()
            loss.backward()
            optim.step()
            total += loss.item() * len(idx)
        acc = accuracy(model, val_x, val_y)
        history.append({"epoch": epoch, "loss": total / len(train), "val_acc": acc})
        print(f"epoch {epoch:2d}  loss {total / len(train):.5f}  val {acc:.4f}"
              f"  ({time.perf_counter() - started:.2f}s)")

    args.out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), args.out / "weights.pt")
    (args.out / "history.json").write_text(json.dumps(history, indent=1))
    print("saved to", args.out)


if __name__ == "__main__":
    main()
