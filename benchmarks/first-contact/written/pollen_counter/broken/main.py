"""Pollen grains in microscope crops: five taxa, rotation-rich CNN."""

import csv
import math
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn

from autotune import advise

cfg = SimpleNamespace(
    seed=404,
    grains=1300,
    size=28,
    epochs=6,
    batch_size=64,
    seconds=4.0,
    base_lr=0.02,
    warmup=8,
    taxa=("Betula", "Poaceae", "Artemisia", "Pinus", "Urtica"),
    folder=Path("slides"),
)


def paint(rng, taxon, size):
    """A grain with the symmetry and wall of its taxon."""
    yy, xx = np.mgrid[-1:1:size * 1j, -1:1:size * 1j]
    yy, xx = yy + rng.normal(0, 0.08), xx + rng.normal(0, 0.08)
    r, phi = np.hypot(yy, xx), np.arctan2(yy, xx) + rng.uniform(0, 2 * np.pi)
    radius = rng.normal(0.62, 0.05) * (1 + 0.10 * taxon / 4 * np.cos((taxon + 2) * phi))
    wall = np.exp(-(((r - radius) / (0.06 + 0.02 * (taxon % 3))) ** 2))
    body = 0.5 * (r < radius) * (1 + 0.3 * np.cos((taxon + 1) * phi) * r)
    return np.clip(0.15 + wall + body + rng.normal(0, 0.12, r.shape), 0, 2)


def slides():
    """Images and labels; painted once and kept."""
    kept = cfg.folder / "grains.npz"
    if not kept.exists():
        cfg.folder.mkdir(exist_ok=True)
        rng = np.random.default_rng(cfg.seed)
        labels = rng.choice(len(cfg.taxa), cfg.grains, p=[0.3, 0.25, 0.2, 0.15, 0.1])
        images = np.stack([paint(rng, t, cfg.size) for t in labels]).astype(np.float32)
        np.savez(kept, images=images, labels=labels)
    with np.load(kept) as stored:
        return torch.from_numpy(stored["images"])[:, None], torch.from_numpy(stored["labels"])


def build():
    def block(a, b):
        return [nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(), nn.MaxPool2d(2)]

    return nn.Sequential(*block(1, 12), *block(12, 24), nn.Flatten(), nn.Linear(24 * 49, len(cfg.taxa)))


def class_weights(labels):
    counts = Counter(labels.tolist())
    return torch.tensor([len(labels) / (len(cfg.taxa) * counts[t]) for t in range(len(cfg.taxa))])


def turned(images):
    """Grains lie on the slide at any angle."""
    quarter = int(torch.randint(4, ()))
    images = torch.rot90(images, quarter, (2, 3))
    return images.flip(3) if torch.rand(()) < 0.5 else images


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        hits = sum((model(i).argmax(1) == l).sum().item() for i, l in zip(images.split(128), labels.split(128)))
    model.train()
    return hits / len(labels)


def main():
    torch.manual_seed(cfg.seed)
    images, labels = slides()
    cut = int(0.8 * len(labels))
    train_x, train_y, test_x, test_y = images[:cut], labels[:cut], images[cut:], labels[cut:]

    model = build()
    advice = advise(model, train_x.shape[1:], cfg.batch_size, cfg.seconds)
    print(advice)
    planned = cfg.epochs * math.ceil(cut / cfg.batch_size)
    print(f"{planned} steps planned")
    horizon = advice.steps
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.base_lr, momentum=0.9, nesterov=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda s: min(1.0, (s + 1) / cfg.warmup) * (0.53 + 0.47 * math.cos(math.pi * min(1.0, s / horizon))),
    )
    criterion = nn.CrossEntropyLoss(weight=class_weights(train_y))

    with open(cfg.folder / "progress.csv", "a", newline="") as sink:
        writer = csv.writer(sink)
        for epoch in range(cfg.epochs):
            began = time.time()
            running = 0.0
            for rows in torch.randperm(cut).split(cfg.batch_size):
                loss = criterion(model(turned(train_x[rows])), train_y[rows])
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 2.0)
                optimizer.step()
                schedule.step()
                running += loss.item() * len(rows)
            score = accuracy(model, test_x, test_y)
            writer.writerow([time.strftime("%F %T"), epoch, optimizer.param_groups[0]["lr"], running / cut, score])
            print(f"epoch {epoch}: loss {running / cut:.4f}, test {score:.3f}, "
                  f"{cut / (time.time() - began):.0f} images/s")
    torch.save({"state": model.state_dict(), "taxa": cfg.taxa}, cfg.folder / "pollen.pt")


if __name__ == "__main__":
    main()
