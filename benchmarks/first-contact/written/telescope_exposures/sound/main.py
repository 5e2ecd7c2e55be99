"""Classifies galaxies in telescope exposures that are reduced while the training goes on."""
import argparse
import random
import time

import numpy as np
import torch
from torch import nn

from client import ReductionQueue

SIZE = 40


def expose(kind: int, flat: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    y, x = np.mgrid[-1:1:SIZE * 1j, -1:1:SIZE * 1j]
    angle = rng.uniform(0, np.pi)
    u, v = x * np.cos(angle) + y * np.sin(angle), -x * np.sin(angle) + y * np.cos(angle)
    r = np.hypot(u, v / (0.6 if kind == 1 else 0.9))
    light = np.exp(-4 * r)
    if kind == 2:
        light = light * (1 + 0.8 * np.cos(2 * np.arctan2(v, u) + 7 * r))
    raw = (light * 30 + rng.poisson(4, (SIZE, SIZE))) * flat
    raw[tuple(rng.integers(0, SIZE, (2, 12)))] += 200
    return raw


def augment(frame: np.ndarray) -> np.ndarray:
    frame = np.rot90(frame, random.randrange(4))
    if random.random() < 0.5:
        frame = frame[:, ::-1]
    shift = (random.randint(-3, 3), random.randint(-3, 3))
    return np.roll(frame, shift, (0, 1)) * random.uniform(0.9, 1.1)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.BatchNorm2d(12), nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2))
        self.head = nn.Linear(96, 3)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nights", type=int, default=12)
    parser.add_argument("--per-night", type=int, default=24)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(args.seed)

    flat = rng.normal(1.0, 0.05, (SIZE, SIZE)).clip(0.8, 1.2)
    model = Classifier()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    archive, began = [], time.perf_counter()
    with ReductionQueue(flat) as queue:
        for night in range(args.nights):
            kinds = [int(k) for k in rng.integers(0, 3, args.per_night)]
            jobs = [queue.submit(expose(k, flat, rng)) for k in kinds]
            archive += [(queue.wait(job), k) for job, k in zip(jobs, kinds)]
            batch = random.sample(archive, min(len(archive), 48))
            losses = []
            for start in range(0, len(batch), 12):
                part = batch[start:start + 12]
                x = np.stack([augment(f) for f, _ in part]).astype(np.float32)
                y = torch.tensor([k for _, k in part])
                loss = nn.functional.cross_entropy(model(torch.from_numpy(x)[:, None]), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            print(f"night {night:2d}: {len(archive)} exposures, loss {np.mean(losses):.6f}")
    print(f"{len(archive) / (time.perf_counter() - began):.1f} exposures/s")

    model.eval()
    with torch.no_grad():
        x = torch.from_numpy(np.stack([f for f, _ in archive]).astype(np.float32))[:, None]
        right = (model(x).argmax(1) == torch.tensor([k for _, k in archive])).float().mean()
    norm = sum(p.double().square().sum() for p in model.parameters()).sqrt()
    print(f"accuracy {right.item():.4f} norm {norm.item():.12f}")


if __name__ == "__main__":
    main()
