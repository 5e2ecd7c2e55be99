"""Tell four species of quail apart by their calls."""
import argparse
import random
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from data import SPECIES, CallFolder, synthesise


def build() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, stride=2, padding=2), nn.BatchNorm2d(8), nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.AdaptiveAvgPool2d((6, 2)), nn.Flatten(), nn.Dropout(0.2), nn.Linear(192, len(SPECIES)))


def mask_bands(batch, generator):
    starts = torch.randint(0, 88, (len(batch),), generator=generator)
    for picture, start in zip(batch, starts.tolist()):
        picture[:, start:start + 8] = 0
    return batch


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss = right = count = 0
    for x, y in loader:
        out = model(x)
        loss += F.cross_entropy(out, y, reduction="sum").item()
        right += (out.argmax(1) == y).sum().item()
        count += len(y)
    return loss / count, right / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--per-species", type=int, default=60)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    shuffle = torch.Generator().manual_seed(args.seed + 1)
    masks = torch.Generator().manual_seed(args.seed + 2)

    with tempfile.TemporaryDirectory(prefix="quail-") as name:
        root = Path(name)
        synthesise(root, args.per_species, args.seed)
        train, valid = CallFolder(root, "train"), CallFolder(root, "valid")
        print(f"{len(train)} recordings to learn from, {len(valid)} held out")
        loader = DataLoader(train, 24, shuffle=True, generator=shuffle, num_workers=2, persistent_workers=True)
        judge = DataLoader(valid, 24)
        model = build()
        optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=args.epochs * len(loader))
        best, kept = float("inf"), None
        for epoch in range(args.epochs):
            started = time.perf_counter()
            model.train()
            for x, y in loader:
                loss = F.cross_entropy(model(mask_bands(x, masks)), y, label_smoothing=0.05)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
            held, accuracy = evaluate(model, judge)
            if held < best:
                best, kept = held, {key: value.clone() for key, value in model.state_dict().items()}
            rate = len(train) / (time.perf_counter() - started)
            print(f"epoch {epoch}: held-out loss {held:.6f}, accuracy {accuracy:.3f} ({rate:.0f} recordings/s)")
    checksum = zlib.crc32(b"".join(value.numpy().tobytes() for value in kept.values()))
    print(f"best {best:.8f}  weights {checksum:08x}")


if __name__ == "__main__":
    main()
