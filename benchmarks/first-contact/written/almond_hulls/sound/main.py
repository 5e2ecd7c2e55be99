"""Sort photographs of almond hulls into good and insect-damaged ones."""
import argparse
import random
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from photos import HullPhotos, partition, render


def build():
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(96, 2),
    )


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    np.random.seed(seed)


def accuracy(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for images, labels in loader:
            hits += (model(images).argmax(1) == labels).sum().item()
            total += len(labels)
    return hits / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--photos", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    scratch = Path(tempfile.mkdtemp(prefix="hulls-"))
    try:
        render(scratch, args.photos, args.seed)
        train_files, test_files = partition(scratch)
        print(f"{len(train_files)} photos to train on, {len(test_files)} held out")

        generator = torch.Generator().manual_seed(args.seed)
        train = DataLoader(HullPhotos(train_files, flip=True), batch_size=32, shuffle=True, num_workers=2,
                           generator=generator, worker_init_fn=seed_worker)
        test = DataLoader(HullPhotos(test_files, flip=False), batch_size=64)

        model = build()
        optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
        for epoch in range(args.epochs):
            start = time.perf_counter()
            model.train()
            running = 0.0
            for images, labels in train:
                loss = nn.functional.cross_entropy(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                running += loss.item() * len(labels)
            seconds = time.perf_counter() - start
            print(f"epoch {epoch}: loss {running / len(train_files):.6f} ({len(train_files) / seconds:.0f} photos/s)")
        print(f"held-out accuracy {accuracy(model, test):.4f}")
        print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
