"""Sorts museum beetles by species from tray photographs."""
import argparse
import csv
import random
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from trays import TrayCollate, TrayDataset

SPECIES = 4


class TrayNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(4))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.1), nn.Linear(256, classes))

    def forward(self, x):
        return self.head(self.body(x))


def make_loader(data, batch, seed, train):
    return DataLoader(data, batch_size=batch, shuffle=train, num_workers=2, persistent_workers=True,
                      collate_fn=TrayCollate(seed, augment=train),
                      generator=torch.Generator().manual_seed(seed))


def evaluate(model, loader):
    model.eval()
    right, loss, count = 0, 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
            right += (out.argmax(1) == y).sum().item()
            count += len(y)
    return loss / count, right / count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=40)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    train = make_loader(TrayDataset(1000, SPECIES, args.seed + 100), args.batch, args.seed, True)
    valid = make_loader(TrayDataset(240, SPECIES, args.seed + 200), 80, args.seed, False)
    model = TrayNet(SPECIES)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)

    with tempfile.TemporaryDirectory() as tmp:
        table = Path(tmp) / "history.csv"
        best = (float("inf"), -1)
        with table.open("w", newline="") as handle:
            writer = csv.writer(handle)
            for epoch in range(args.epochs):
                start, seen = time.time(), 0
                model.train()
                for x, y in train:
                    loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.05)
                    opt.zero_grad(set_to_none=True)
                    loss.backward()
                    opt.step()
                    seen += len(y)
                rate = seen / (time.time() - start)
                val_loss, acc = evaluate(model, valid)
                writer.writerow([epoch, val_loss, acc])
                print(f"epoch {epoch}: val loss {val_loss:.6f} acc {acc:.4f} ({rate:.0f} img/s)")
                if val_loss < best[0]:
                    best = (val_loss, epoch)
                    torch.save(model.state_dict(), Path(tmp) / "best.pt")
        model.load_state_dict(torch.load(Path(tmp) / "best.pt"))

    blob = b"".join(t.numpy().tobytes() for t in model.state_dict().values())
    print(f"best epoch {best[1]}, loss {best[0]!r}, weights crc {zlib.crc32(blob):08x}")


if __name__ == "__main__":
    main()
