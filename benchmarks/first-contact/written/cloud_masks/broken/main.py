"""Segment clouds in small satellite patches."""
import argparse
import io
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

from tiles import Scene


@dataclass(frozen=True)
class Settings:
    tiles: int
    epochs: int
    rate: float
    seed: int


def build():
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 1, 1))


def score(model, data):
    model.eval()
    hits = union = 0
    with torch.no_grad():
        for image, mask in DataLoader(data, batch_size=64):
            guess = model(image) > 0
            hits += (guess & mask.bool()).sum().item()
            union += (guess | mask.bool()).sum().item()
    return hits / union


def train(settings):
    np.random.seed(settings.seed)
    torch.manual_seed(settings.seed)
    begun = time.perf_counter()
    with Scene(settings.tiles, settings.seed) as scene:
        patches = torch.from_numpy(scene.patches())
    print(f"{len(patches)} patches rendered in {time.perf_counter() - begun:.2f} s")

    data = TensorDataset(patches[:, :3], patches[:, 3:])
    held = len(data) // 4
    training, validation = Subset(data, range(held, len(data))), Subset(data, range(held))
    loader = DataLoader(training, batch_size=24, shuffle=True, generator=torch.Generator().manual_seed(settings.seed + 1))
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=settings.rate, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, settings.epochs)
    best, best_score = io.BytesIO(), -1.0
    for epoch in range(settings.epochs):
        model.train()
        begun = time.perf_counter()
        for image, mask in loader:
            if torch.rand(()) < 0.5:
                image, mask = image.flip(-1), mask.flip(-1)
            loss = nn.functional.binary_cross_entropy_with_logits(model(image), mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        now = score(model, validation)
        print(f"epoch {epoch}: {len(training) / (time.perf_counter() - begun):.0f} patches/s")
        if now > best_score:
            best_score = now
            best = io.BytesIO()
            torch.save(model.state_dict(), best)
    best.seek(0)
    model.load_state_dict(torch.load(best))
    return best_score, model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tiles", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=11)
    best, model = train(Settings(**vars(parser.parse_args())))
    print(f"best IoU {best:.6f}, weights {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
