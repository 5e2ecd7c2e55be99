"""Segment ammonites in simulated CT slices of a rock core."""
import argparse
import logging
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from scanner import scan_core

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
log = logging.getLogger(__name__)


class Slices(Dataset):
    def __init__(self, folder):
        self.files = sorted(Path(folder).glob("*.npz"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        with np.load(self.files[index]) as stored:
            density, mask = stored["density"], stored["mask"]
        image = torch.from_numpy(density).unsqueeze(0)
        target = torch.from_numpy(mask).unsqueeze(0)
        if torch.rand(()) < 0.5:
            image, target = image.flip(-1), target.flip(-1)
        return image, target


def dice_loss(logits, target):
    p = logits.sigmoid()
    return 1 - (2 * (p * target).sum() + 1) / (p.sum() + target.sum() + 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slices", type=int, default=160)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=64)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory(prefix="core-") as folder:
        began = time.perf_counter()
        scan_core(Path(folder), args.slices, args.seed)
        log.info("scanned %d slices in %.2f s", args.slices, time.perf_counter() - began)
        slices = Slices(folder)
        loader = DataLoader(slices, batch_size=8, shuffle=True, num_workers=2, persistent_workers=True,
                            generator=torch.Generator().manual_seed(args.seed))
        model = nn.Sequential(nn.Conv2d(1, 12, 5, padding=2), nn.ReLU(), nn.Conv2d(12, 12, 3, padding=1),
                              nn.ReLU(), nn.Conv2d(12, 1, 1))
        optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
        for epoch in range(args.epochs):
            total = 0.0
            for image, target in loader:
                loss = dice_loss(model(image), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} dice loss {total / len(loader):.6f}")
        del loader
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
