"""Sorts walnuts on a conveyor into sound and cracked shells."""
import argparse
import sqlite3
import time

import numpy as np
import torch
from torch import nn

from mining import Cutout, HardPool


def draw_walnut(rng, cracked):
    y, x = np.mgrid[-1:1:20j, -1:1:20j]
    radius = np.hypot(x * rng.uniform(0.9, 1.1), y * rng.uniform(0.9, 1.1))
    image = np.where(radius < 0.85, 0.6 + 0.15 * np.sin(9 * x + rng.uniform(0, 6)), 0.1)
    if cracked:
        angle = rng.uniform(0, np.pi)
        offset = rng.uniform(-0.3, 0.3)
        line = np.abs(x * np.sin(angle) - y * np.cos(angle) - offset)
        image = np.where((line < 0.1) & (radius < 0.8), image - 0.4, image)
    return (image + rng.normal(0, 0.08, image.shape)).astype(np.float32)


def make_cutouts(count, seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random(count) < 0.4).astype(int)
    return [Cutout(i, draw_walnut(rng, label), int(label)) for i, label in enumerate(labels)]


def stack(cutouts):
    pixels = torch.from_numpy(np.stack([cutout.pixels for cutout in cutouts])).unsqueeze(1)
    return pixels, torch.tensor([cutout.cracked for cutout in cutouts])


def build():
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 2))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1400)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--share", type=float, default=0.55)
    parser.add_argument("--seed", type=int, default=12)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    cutouts = make_cutouts(args.count, args.seed)
    held, train = cutouts[:300], cutouts[300:]
    pool = HardPool(train, args.seed + 1, batch_size=32)
    everything = stack(train)

    book = sqlite3.connect(":memory:")
    book.execute("create table epochs (epoch integer primary key, members integer, loss real, seconds real)")
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(args.epochs):
        began = time.perf_counter()
        model.train()
        for batch in pool.batches():
            pixels, labels = stack(batch)
            loss = nn.functional.cross_entropy(model(pixels), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        members = len(pool.members)
        with torch.no_grad():
            losses = nn.functional.cross_entropy(model(everything[0]), everything[1], reduction="none")
        pool.review(losses.tolist(), args.share)
        book.execute("insert into epochs values (?, ?, ?, ?)",
                     (epoch, members, losses.mean().item(), time.perf_counter() - began))
    for epoch, members, loss, seconds in book.execute("select * from epochs order by epoch"):
        print(f"epoch {epoch}: {members} cut-outs, loss {loss:.6f}, {seconds:.2f} s")
    book.close()

    pixels, labels = stack(held)
    with torch.no_grad():
        scores = model(pixels)
    print(f"held-out accuracy {(scores.argmax(1) == labels).float().mean().item():.4f}")
    print(f"held-out loss {nn.functional.cross_entropy(scores, labels).item():.9f}")


if __name__ == "__main__":
    main()
