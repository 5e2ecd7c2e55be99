"""Count walruses on haul-out beaches from thermal drone frames."""
import argparse
import hashlib
import random
import tempfile
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

from store import FrameStore

BEACHES = ["Cape Serdtse", "Point Lay", "Round Island", "Vankarem"]


def fly(rng, altitude, n):
    yy, xx = np.mgrid[0:24, 0:24]
    counts = rng.poisson(5.0, size=n)
    frames = rng.normal(0.0, 0.25, size=(n, 24, 24))
    for i, count in enumerate(counts):
        for y, x in rng.uniform(2, 22, size=(count, 2)):
            frames[i] += np.exp(-((yy - y) ** 2 + (xx - x) ** 2) / (2.0 * (120.0 / altitude) ** 2))
    return frames.astype(np.float32), counts


class FrameDataset(Dataset):
    def __init__(self, store, keys, augment):
        self.keys = keys
        self.augment = augment
        self.load = lru_cache(maxsize=1024)(store.fetch)

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        thermal, count = self.load(self.keys[index])
        thermal = torch.from_numpy(thermal)
        if self.augment and torch.rand(()) < 0.5:
            thermal = thermal.flip(-1)
        return thermal, torch.tensor(float(count))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(),
            nn.Conv2d(12, 12, 3, padding=1, stride=2), nn.ReLU(),
            nn.Conv2d(12, 1, 1),
        )

    def forward(self, x):
        return F.softplus(self.body(x)).sum(dim=(1, 2, 3)) * 0.1


@torch.no_grad()
def mean_error(model, loader):
    model.eval()
    total = sum((model(x) - y).abs().sum().item() for x, y in loader)
    model.train()
    return total / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=24)
    parser.add_argument("--max-altitude", type=float, default=110.0)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(args.seed)

    with tempfile.TemporaryDirectory(prefix="walrus-") as folder:
        store = FrameStore(Path(folder))
        for flight in range(12):
            altitude = float(rng.uniform(70, 120))
            store.add_flight(flight, BEACHES[flight % len(BEACHES)], altitude)
            store.add_frames(flight, *fly(rng, altitude, 60))
        print(store.summary())

        keys = store.keys(args.max_altitude)
        cut = int(0.8 * len(keys))
        train = DataLoader(
            FrameDataset(store, keys[:cut], augment=True), batch_size=args.batch_size, shuffle=True,
            generator=torch.Generator().manual_seed(args.seed),
        )
        held_out = DataLoader(FrameDataset(store, keys[cut:], augment=False), batch_size=64)
        print(f"{cut} frames to train on, {len(keys) - cut} held out")

        model = Counter()
        optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
        for epoch in range(args.epochs):
            started = time.perf_counter()
            running = 0.0
            for thermal, count in train:
                optimizer.zero_grad()
                loss = F.poisson_nll_loss(model(thermal), count, log_input=False)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                running += loss.item() * len(count)
            schedule.step()
            print(f"epoch {epoch}  nll {running / cut:.5f}  held-out error {mean_error(model, held_out):.4f}"
                  f"  ({cut / (time.perf_counter() - started):.0f} frames/s)")
        store.close()

    digest = hashlib.sha256()
    for value in model.state_dict().values():
        digest.update(value.numpy().tobytes())
    print("weights", digest.hexdigest()[:16])


if __name__ == "__main__":
    main()
