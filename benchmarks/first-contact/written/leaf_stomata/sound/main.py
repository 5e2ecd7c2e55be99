"""Count the stomata in micrographs of leaves."""
import argparse
import hashlib
import io
import sys
import time

import numpy as np
import torch
from torch import nn

from pacing import Pacer


def micrographs(count, size, seed):
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    images = rng.normal(0, 0.15, (count, 1, size, size)).astype(np.float32)
    numbers = rng.integers(0, 7, count)
    for image, number in zip(images, numbers):
        for _ in range(number):
            cy, cx = rng.uniform(2, size - 2, 2)
            angle = rng.uniform(0, np.pi)
            u = (x - cx) * np.cos(angle) + (y - cy) * np.sin(angle)
            v = (y - cy) * np.cos(angle) - (x - cx) * np.sin(angle)
            image[0] += np.exp(-(u / 2.4) ** 2 - (v / 1.1) ** 2)
    return torch.from_numpy(images), torch.from_numpy(numbers.astype(np.float32))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 12, 3, padding=1), nn.GroupNorm(3, 12), nn.ReLU())
        self.density = nn.Conv2d(12, 1, 1)

    def forward(self, images):
        return nn.functional.softplus(self.density(self.features(images))).sum((1, 2, 3)) / 16


def flip(images):
    if torch.rand(()) < 0.5:
        images = images.flip(3)
    if torch.rand(()) < 0.5:
        images = images.flip(2)
    return images


def train_epoch(model, optimizer, pacer, images, numbers, batch):
    model.train()
    total = 0.0
    for rows in torch.randperm(len(images)).split(batch):
        optimizer.zero_grad()
        for part, target in pacer.parts(flip(images[rows]), numbers[rows]):
            loss = nn.functional.poisson_nll_loss(model(part), target, log_input=False, reduction="sum")
            (loss / len(rows)).backward()
            total += loss.item()
        optimizer.step()
    return total / len(images)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=1500)
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=9)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    images, numbers = micrographs(args.images, args.size, args.seed)
    test_images, test_numbers = micrographs(250, args.size, args.seed + 1)
    model = Counter()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    pacer = Pacer()
    start = time.time()
    for epoch in range(args.epochs):
        loss = train_epoch(model, optimizer, pacer, images, numbers, args.batch)
        speed = pacer.end_epoch()
        print(f"epoch {epoch}  loss {loss:.6f}")
        print(f"  {speed:.0f} images/s", file=sys.stderr)

    model.eval()
    with torch.no_grad():
        error = (model(test_images) - test_numbers).abs().mean().item()
    saved = io.BytesIO()
    torch.save(model.state_dict(), saved)
    digest = hashlib.md5(saved.getvalue()).hexdigest()
    print(f"elapsed {time.time() - start:.2f} s")
    print(f"mean error {error:.7f} stomata, checkpoint {digest}")


if __name__ == "__main__":
    main()
