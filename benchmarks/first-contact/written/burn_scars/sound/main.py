"""Burned-area mapping: trains a small U-Net on tiles of post-fire scenes and reports the IoU on scenes held out.

    python main.py --epochs 16 --cache-tiles 40
"""

import argparse
import csv
import json
import time
from datetime import datetime
from pathlib import Path

import torch

from model import BurnNet, segmentation_loss
from scenes import HELDOUT_SCENES, SIZE, TRAIN_SCENES, write_scenes
from tiles import HoldoverSampler, TileStore, list_tiles


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=16)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--cache-tiles", type=int, default=40, help="decoded tiles kept in memory")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--scenes", default="work/scenes")
    return parser.parse_args()


def flip(planes, mask, generator):
    """Flips and transposes the whole batch; burn scars have no preferred direction."""
    choice = int(torch.randint(8, (1,), generator=generator))
    if choice & 1:
        planes, mask = planes.flip(-1), mask.flip(-1)
    if choice & 2:
        planes, mask = planes.flip(-2), mask.flip(-2)
    if choice & 4:
        planes, mask = planes.transpose(-1, -2), mask.transpose(-1, -2)
    return planes.contiguous(), mask.contiguous()


def train_epoch(model, optimizer, schedule, sampler, store, generator):
    model.train()
    total, seen = 0.0, 0
    for keys in sampler.epoch():
        planes, mask = flip(*store.batch(keys), generator)
        loss = segmentation_loss(model(planes), mask)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        total += loss.item() * len(keys)
        seen += len(keys)
    return total / seen


@torch.no_grad()
def evaluate(model, planes, mask):
    model.eval()
    predicted = torch.cat([model(part) for part in planes.split(16)]) > 0
    actual = mask > 0.5
    overlap = (predicted & actual).sum().item()
    union = (predicted | actual).sum().item()
    missed = (actual & ~predicted).sum().item() / max(1, actual.sum().item())
    return {"iou": overlap / max(1, union), "omission": missed}


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    write_scenes(args.scenes)

    store = TileStore(args.scenes, args.cache_tiles)
    train_keys = list_tiles(TRAIN_SCENES, SIZE)
    sampler = HoldoverSampler(train_keys, store, args.batch_size, args.seed + 1)
    heldout_keys = list_tiles(HELDOUT_SCENES, SIZE)
    heldout = TileStore(args.scenes, len(heldout_keys)).batch(heldout_keys)
    print(f"{len(train_keys)} tiles to train on, {len(heldout_keys)} held out, {args.cache_tiles} kept decoded")

    model = BurnNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    steps = args.epochs * -(-len(train_keys) // args.batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2 * args.lr, total_steps=steps)
    generator = torch.Generator().manual_seed(args.seed + 2)

    run = Path("runs") / f"burn-{datetime.now():%Y%m%d-%H%M%S}"
    run.mkdir(parents=True, exist_ok=True)
    history = []
    began = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        loss = train_epoch(model, optimizer, schedule, sampler, store, generator)
        row = {"epoch": epoch, "loss": loss, **evaluate(model, *heldout)}
        history.append(row)
        print(
            f"epoch {epoch:2d}  loss {loss:.4f}  IoU {row['iou']:.4f}  omission {row['omission']:.3f}"
            f"  hits {store.hit_rate():.0%}  {time.perf_counter() - began:5.1f} s"
        )

    with open(run / "history.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(history[0]))
        writer.writeheader()
        writer.writerows(history)
    torch.save(model.state_dict(), run / "model.pt")
    best = max(history, key=lambda row: row["iou"])
    summary = {"best": best, "final": history[-1], "seconds": round(time.perf_counter() - began, 2)}
    (run / "summary.json").write_text(json.dumps(summary, indent=2))
    print(f"best IoU {best['iou']:.4f} in epoch {best['epoch']}; written to {run}")


if __name__ == "__main__":
    main()
