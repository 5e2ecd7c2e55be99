"""Classify cracks in asphalt patches that are rendered while the network trains."""
import csv
import logging
import time
import uuid
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch.nn import functional as F

from feeder import RingFeeder
from net import crack_net
from patches import KINDS, SIZE, render_batch

CFG = SimpleNamespace(seed=88, epochs=5, batches=30, batch=32, lr=2e-3, test=600)
OUT = Path(__file__).resolve().parent / "out"
log = logging.getLogger("cracks")


def test_set(count, seed):
    images = np.zeros((count, 1, SIZE, SIZE), dtype=np.float32)
    labels = np.zeros(count, dtype=np.int64)
    render_batch(np.random.default_rng(seed), images, labels)
    return torch.from_numpy(images), torch.from_numpy(labels)


def train_epoch(model, opt, batches):
    model.train()
    total, count = 0.0, 0
    for images, labels in batches:
        loss = F.cross_entropy(model(images), labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(labels)
        count += len(labels)
    return total / count


@torch.no_grad()
def accuracy(model, images, labels):
    model.eval()
    guess = model(images).argmax(1)
    per_kind = [(guess[labels == k] == k).float().mean().item() for k in range(len(KINDS))]
    return (guess == labels).float().mean().item(), per_kind


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    run = uuid.uuid4().hex[:10]
    log.info("run %s", run)
    torch.set_num_threads(1)
    torch.manual_seed(CFG.seed)
    model = crack_net()
    opt = torch.optim.Adam(model.parameters(), lr=CFG.lr)
    feeder = RingFeeder(CFG.batch, CFG.seed)
    held_out = test_set(CFG.test, CFG.seed + 1)

    rows = []
    for epoch in range(CFG.epochs):
        started = time.perf_counter()
        loss = train_epoch(model, opt, feeder.epoch(epoch, CFG.batches))
        acc, per_kind = accuracy(model, *held_out)
        rows.append([epoch, repr(loss), repr(acc), *map(repr, per_kind)])
        log.info("epoch %d loss %.5f accuracy %.4f (%.2f s)", epoch, loss, acc,
                 time.perf_counter() - started)

    OUT.mkdir(exist_ok=True)
    torch.save(model.state_dict(), OUT / "cracks.pt")
    with open(OUT / "metrics.csv", "w", newline="") as fh:
        writer = csv.writer(fh)
        writer.writerow(["epoch", "loss", "accuracy", *KINDS])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
