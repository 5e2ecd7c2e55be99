"""Guesses the region of a place from its name."""
import argparse
import csv
import logging
import random
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from gazetteer import REGIONS, gazetteer
from grams import GramBuckets

HERE = Path(__file__).resolve().parent
log = logging.getLogger("places")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--per-region", type=int, default=420)
    parser.add_argument("--buckets", type=int, default=2048)
    parser.add_argument("--width", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=64)
    return parser.parse_args()


class RegionGuesser(nn.Module):
    def __init__(self, buckets, width, regions):
        super().__init__()
        self.grams = nn.EmbeddingBag(buckets, width, mode="mean")
        self.hidden = nn.Sequential(nn.Dropout(0.2), nn.Linear(width, 32), nn.Tanh())
        self.out = nn.Linear(32, regions)

    def forward(self, flat, starts):
        return self.out(self.hidden(self.grams(flat, starts)))


def accuracy(model, grams, rows):
    model.eval()
    flat, starts, labels = grams.collate(rows)
    with torch.no_grad():
        right = model(flat, starts).argmax(1) == labels
    model.train()
    return right.float().mean().item()


def main():
    logging.basicConfig(stream=sys.stdout, format="%(asctime)s %(message)s", level=logging.INFO)
    args = arguments()
    torch.manual_seed(args.seed)
    rows = gazetteer(args.per_region, random.Random(f"gazetteer-{args.seed}"))
    cut = len(rows) * 4 // 5
    train, test = rows[:cut], rows[cut:]

    grams = GramBuckets(args.buckets)
    loader = DataLoader(train, batch_size=args.batch, shuffle=True, collate_fn=grams.collate,
                        generator=torch.Generator().manual_seed(args.seed + 1))
    model = RegionGuesser(args.buckets, args.width, len(REGIONS))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)

    table = []
    for epoch in range(args.epochs):
        started, losses = time.monotonic(), []
        for flat, starts, labels in loader:
            loss = nn.functional.cross_entropy(model(flat, starts), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        schedule.step()
        mean, score = sum(losses) / len(losses), accuracy(model, grams, test)
        table.append((epoch, f"{mean:.8f}", f"{score:.6f}"))
        log.info("epoch %d loss %.8f test accuracy %.4f", epoch, mean, score)
        log.debug("epoch took %.2f s", time.monotonic() - started)
    log.info(grams.usage())

    torch.save({"model": model.state_dict(), "args": vars(args)}, HERE / "regions.pt")
    with open(HERE / "progress.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("epoch", "loss", "accuracy"))
        writer.writerows(table)


if __name__ == "__main__":
    main()
