"""Segment vessels in ultrasound, with speckle that grows during training."""
import argparse
import random
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from scans import Vessels


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)
    torch.set_num_threads(1)


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(),
        nn.Conv2d(8, 8, 5, padding=4, dilation=2), nn.ReLU(),
        nn.Conv2d(8, 1, 3, padding=1))


def dice(logits, mask):
    guess = (logits > 0).float()
    return (2 * (guess * mask).sum() / (guess.sum() + mask.sum()).clamp(min=1)).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scans", type=int, default=384)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--speckle", type=float, nargs=2, default=(0.1, 0.6))
    parser.add_argument("--seed", type=int, default=12)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    speckle = torch.tensor(args.speckle[0]).share_memory_()
    loader = DataLoader(Vessels(args.scans, speckle, args.seed), args.batch, shuffle=True,
                        num_workers=args.workers, persistent_workers=True, worker_init_fn=seed_worker,
                        generator=torch.Generator().manual_seed(args.seed))
    test = Vessels(96, torch.tensor(args.speckle[1]), args.seed + 1)

    model = build_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    low, high = args.speckle
    steps = args.epochs * len(loader)
    step = 0
    began = time.perf_counter()
    for epoch in range(args.epochs):
        total = 0.0
        speckle.fill_(low + (high - low) * step / steps)
        for image, mask in loader:
            loss = F.binary_cross_entropy_with_logits(model(image), mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            step += 1
        print(f"epoch {epoch + 1}  speckle {speckle.item():.3f}  loss {total / len(loader):.6f}")
    print(f"{step / (time.perf_counter() - began):.1f} steps/s")

    torch.manual_seed(args.seed + 2)
    images, masks = map(torch.stack, zip(*(test[i] for i in range(len(test)))))
    model.eval()
    with torch.no_grad():
        logits = model(images)
    print(f"test dice {dice(logits, masks):.6f}  loss {F.binary_cross_entropy_with_logits(logits, masks).item():.8f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
