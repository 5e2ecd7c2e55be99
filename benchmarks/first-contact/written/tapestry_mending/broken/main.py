"""Trains a network that fills holes in pieces of tapestry."""
import argparse
import json
import random
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader

from jitter import Compose, Dye, Fade, Flip
from net import Mender, hole_error
from weave import Weave, cut_patches

YARNS = ["madder", "weld", "woad", "indigo", "walnut", "kermes", "saffron"]


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("mendings"))
    return parser.parse_args()


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    errors = [hole_error(model(damaged, mask), whole, mask).item() for damaged, mask, whole in loader]
    return sum(errors) / len(errors)


def main():
    args = options()
    name = f"{random.choice(YARNS)}-{datetime.now():%m%d-%H%M%S}"
    folder = args.out / name
    folder.mkdir(parents=True, exist_ok=True)
    print(f"run {name}, torch {torch.__version__}")

    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    pipeline = Compose([Flip(), Dye(0.08), Fade(0.3)], seed=args.seed)
    train = Weave(cut_patches("china.jpg", 1400, args.seed), pipeline, seed=args.seed)
    held_out = Weave(cut_patches("flower.jpg", 256, args.seed + 1), seed=args.seed + 1)
    loader = DataLoader(train, args.batch_size, shuffle=True, drop_last=True, num_workers=args.workers)
    check = DataLoader(held_out, 64)

    model = Mender()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
    history = []
    started = time.perf_counter()
    for epoch in range(args.epochs):
        model.train()
        total, lap = 0.0, time.perf_counter()
        for damaged, mask, whole in loader:
            loss = hole_error(model(damaged, mask), whole, mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        lap = time.perf_counter() - lap
        error = evaluate(model, check)
        history.append({"epoch": epoch, "train": total / len(loader), "held_out": error})
        print(f"epoch {epoch}: train {total / len(loader):.5f}  held out {error:.5f}  "
              f"{len(loader) / lap:.1f} it/s")

    torch.save(model.state_dict(), folder / "mender.pt")
    report = {"run": name, "history": history, "seconds": round(time.perf_counter() - started, 2)}
    (folder / "report.json").write_text(json.dumps(report, indent=1))
    print(f"final error {history[-1]['held_out']:.6f}, written to {folder}")


if __name__ == "__main__":
    main()
