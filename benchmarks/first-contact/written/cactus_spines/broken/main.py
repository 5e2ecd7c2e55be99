"""Classifies spines of cacti. The hold-out belongs to a version of the data: new pictures, new hold-out."""
import logging
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

import bundle

log = logging.getLogger("spines")


@dataclass
class Plan:
    pictures: int = 720
    seed: int = 5
    epochs: int = 5
    batch: int = 40
    held_out: float = 0.25


def build():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(24 * 4 * 4, 3))


def make_shards(plan, folder):
    raw, packed = folder / "raw", folder / "shards"
    raw.mkdir()
    packed.mkdir()
    bundle.photograph(raw, plan.pictures, plan.seed)
    return bundle.pack(raw, packed)


def hold_out(count, share, data_version):
    generator = torch.Generator().manual_seed(int(data_version[:12], 16))
    order = torch.randperm(count, generator=generator)
    cut = int(count * share)
    return order[cut:], order[:cut]


def main():
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")
    plan = Plan()
    torch.manual_seed(plan.seed)
    with tempfile.TemporaryDirectory(prefix="spines-") as name:
        began = time.perf_counter()
        shards = make_shards(plan, Path(name))
        data_version = bundle.version(shards)
        x, y = bundle.unpack(shards)
        log.info("%d pictures in %d shards, packed in %.2f s", len(x), len(shards), time.perf_counter() - began)
    train, held = hold_out(len(x), plan.held_out, data_version)
    net = build()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.08, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, plan.epochs)
    for epoch in range(plan.epochs):
        net.train()
        total = 0.0
        for rows in train[torch.randperm(len(train))].split(plan.batch):
            loss = nn.functional.cross_entropy(net(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        schedule.step()
        print(f"epoch {epoch}: loss {total / len(train):.6f}")
    net.eval()
    with torch.no_grad():
        logits = net(x[held])
    print(f"held-out loss {nn.functional.cross_entropy(logits, y[held]).item():.7f}, "
          f"accuracy {(logits.argmax(1) == y[held]).float().mean().item():.4f}")
    print("weights", sum(p.double().abs().sum() for p in net.parameters()).item())


if __name__ == "__main__":
    main()
