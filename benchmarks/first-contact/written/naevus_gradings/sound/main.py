"""Classify skin lesions from small dermoscopy crops, with the consensus of four readers as the label."""
import argparse
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import labels


def draw_lesion(kind, rng, size=20):
    yy, xx = np.mgrid[:size, :size] / size - 0.5
    angle = np.arctan2(yy, xx)
    radius = 0.18 + 0.03 * kind + 0.03 * np.sin((kind + 2) * angle + rng.uniform(0, 6))
    crop = (np.hypot(yy, xx) < radius) * (0.4 + 0.07 * kind)
    return (crop + rng.normal(0, 0.08, crop.shape)).astype(np.float32)


def read_lesion(kind, rng):
    """Four readers, each right in three of five cases."""
    return [kind if rng.random() < 0.6 else int(rng.integers(len(labels.DIAGNOSES))) for _ in range(4)]


class Lesions(Dataset):
    def __init__(self, crops, agreed, seed):
        self.crops, self.agreed, self.seed = crops, agreed, seed
        self.epoch = 0

    def __len__(self):
        return len(self.crops)

    def __getitem__(self, i):
        rng = np.random.default_rng([self.seed, self.epoch, i])
        crop = np.rot90(self.crops[i], rng.integers(4))
        if rng.random() < 0.5:
            crop = np.fliplr(crop)
        return torch.from_numpy(crop.copy())[None], self.agreed[i]


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        nn.Dropout(0.2), nn.Linear(96, len(labels.DIAGNOSES)),
    )


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lesions", type=int, default=640)
    ap.add_argument("--epochs", type=int, default=6)
    ap.add_argument("--seed", type=int, default=3)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    kinds = rng.integers(0, len(labels.DIAGNOSES), args.lesions)
    crops = [draw_lesion(int(k), rng) for k in kinds]
    with tempfile.TemporaryDirectory() as folder, closing(labels.open_store(Path(folder) / "readings.db")) as db:
        rows = [
            (lesion, reader, labels.DIAGNOSES[d])
            for lesion, kind in enumerate(kinds)
            for reader, d in enumerate(read_lesion(int(kind), rng))
        ]
        labels.store_readings(db, rows)
        agreed, unanimous = labels.consensus(db)
    print(f"{len(agreed)} lesions, {unanimous} unanimous")

    data = Lesions(crops, agreed, args.seed)
    loader = DataLoader(data, batch_size=32, shuffle=True, generator=torch.Generator().manual_seed(args.seed))
    model = build_model()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    for epoch in range(args.epochs):
        data.epoch = epoch
        total = hits = 0.0
        for x, y in loader:
            out = model(x)
            loss = nn.functional.cross_entropy(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
        print(f"epoch {epoch}  loss {total / len(data):.6f}  agreement {hits / len(data):.4f}")
    model.eval()
    with torch.no_grad():
        out = model(torch.from_numpy(np.stack(crops))[:, None])
    truth = torch.from_numpy(kinds)
    print(f"accuracy against histology {(out.argmax(1) == truth).double().mean().item():.5f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
