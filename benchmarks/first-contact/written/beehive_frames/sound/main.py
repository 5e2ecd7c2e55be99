"""Grades photographs of honeycomb: empty, brood, honey."""
import argparse
import hashlib
import time
from collections import deque
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import nn

from feeder import Feeder

GRADES = ("empty", "brood", "honey")
SIDE = 32


@dataclass
class Settings:
    steps: int = 150
    batch: int = 48
    lr: float = 2e-3
    seed: int = 8


def photograph(n: int, seed: int):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(GRADES), n)
    rows, cols = np.mgrid[:SIDE, :SIDE]
    photos = np.empty((n, SIDE, SIDE), dtype=np.uint8)
    for i, label in enumerate(labels):
        pitch = rng.uniform(5, 7)
        cells = np.cos(2 * np.pi * rows / pitch) * np.cos(2 * np.pi * (cols + rows / 2) / pitch)
        fill = (0.0, rng.uniform(10, 45), rng.uniform(-30, 20))[label]
        tint = (110, 110, 135)[label]
        picture = tint + 30 * cells + fill * (cells > 0.3) + rng.normal(0, 35, (SIDE, SIDE))
        photos[i] = np.clip(picture, 0, 255)
    return photos, labels


def build() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Dropout(0.2), nn.Linear(128, len(GRADES)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in asdict(Settings()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    settings = Settings(**vars(parser.parse_args()))

    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    photos, labels = photograph(900, settings.seed)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.lr)
    recent = deque(maxlen=30)
    with Feeder(photos[:700], labels[:700], settings.batch, settings.seed) as feeder:
        began = time.perf_counter()
        model.train()
        for step in range(1, settings.steps + 1):
            images, grades = feeder.next_batch()
            loss = nn.functional.cross_entropy(model(images), grades)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            recent.append(loss.item())
            if step % 50 == 0:
                print(f"step {step} loss {np.mean(recent):.6f} "
                      f"{step / (time.perf_counter() - began):.0f} steps/s")

    model.eval()
    with torch.no_grad():
        test = torch.from_numpy(photos[700:].astype(np.float32) / 255 - 0.5)[:, None]
        out = model(test)
        answer = torch.from_numpy(labels[700:])
        loss = nn.functional.cross_entropy(out, answer).item()
        accuracy = (out.argmax(1) == answer).float().mean().item()
    digest = hashlib.sha1()
    for value in model.state_dict().values():
        digest.update(value.numpy().tobytes())
    print(f"test loss {loss:.6f} accuracy {accuracy:.4f} weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
