"""Train the noise-reduction mask of the hearing aid front end.

The network sees a log spectrogram of one second and predicts, for each time-frequency cell, how
much of it is the talker.  Training gets harder as it goes: the signal-to-noise ratio of the mixtures
is lowered from `--start-db` to `--final-db` (see curriculum.py).

    python main.py
    python main.py --epochs 6 --workers 4
"""
import argparse
import csv
import json
import os
import time
from datetime import datetime

import torch
from torch import nn
from torch.utils.data import DataLoader

from curriculum import MixtureSampler, SnrSchedule
from mask_net import MaskNet, apply_mask, snr_db
from mixtures import EvalMixtures, TrainMixtures


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--utterances", type=int, default=320)
    parser.add_argument("--batch-size", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-db", type=float, default=14.0)
    parser.add_argument("--final-db", type=float, default=-4.0)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=37)
    parser.add_argument("--out", default="exp")
    return parser.parse_args()


def make_loader(args, schedule):
    dataset = TrainMixtures(args.utterances, seed=args.seed, schedule=schedule)
    sampler = MixtureSampler(args.utterances, args.batch_size, seed=args.seed)
    loader = DataLoader(
        dataset,
        batch_sampler=sampler,
        num_workers=args.workers,
        persistent_workers=args.workers > 0,
        prefetch_factor=2 if args.workers > 0 else None,
    )
    return sampler, loader


@torch.no_grad()
def evaluate(model, conditions):
    """Gain in dB over the unprocessed signal, for each listening condition."""
    model.eval()
    gains = {}
    for level, (features, noisy, clean, _) in conditions.items():
        mask = model(features)
        before = snr_db(noisy, clean)
        after = snr_db(apply_mask(mask, noisy), clean)
        gains[level] = float((after - before).mean())
    model.train()
    return gains


def train(args, folder):
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    steps_per_epoch = args.utterances // args.batch_size
    schedule = SnrSchedule(args.start_db, args.final_db, total_steps=args.epochs * steps_per_epoch)
    sampler, loader = make_loader(args, schedule)

    model = MaskNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * steps_per_epoch)
    loss_of = nn.BCELoss()

    conditions = {
        level: EvalMixtures(24, level_db=level, seed=args.seed + 1).as_batch() for level in (-3, 3, 9)
    }
    print(f"{sum(p.numel() for p in model.parameters())} parameters, "
          f"{args.utterances} utterances, {args.workers} workers")

    history = []
    step = 0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        began = time.perf_counter()
        total, levels = 0.0, 0.0
        for features, noisy, clean, target, level in loader:
            mask = model(features)
            error = (apply_mask(mask, noisy) - clean).abs().mean()
            loss = loss_of(mask, target) + 0.5 * error
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            decay.step()
            step += 1
            total += float(loss.detach())
            levels += float(level.mean())

        seconds = time.perf_counter() - began
        gains = evaluate(model, conditions)
        row = {
            "epoch": epoch,
            "loss": total / steps_per_epoch,
            "mean_level_db": levels / steps_per_epoch,
            **{f"gain_{level}dB": gain for level, gain in gains.items()},
        }
        history.append(row)
        print(f"epoch {epoch}  loss {row['loss']:.5f}  level {row['mean_level_db']:+.2f} dB  "
              + "  ".join(f"{level:+d} dB: {gain:+.3f}" for level, gain in gains.items())
              + f"  ({args.utterances / seconds:.0f} utt/s)")

    torch.save({"model": model.state_dict(), "step": step}, os.path.join(folder, "mask_net.pt"))
    with open(os.path.join(folder, "history.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(history[0]))
        writer.writeheader()
        writer.writerows(history)
    return history[-1]


def main():
    args = parse_args()
    folder = os.path.join(args.out, datetime.now().strftime("%Y%m%d-%H%M%S"))
    os.makedirs(folder, exist_ok=True)
    began = time.time()
    last = train(args, folder)
    with open(os.path.join(folder, "metrics.json"), "w") as file:
        json.dump({"seed": args.seed, "final": last}, file, indent=2)
    print(f"written to {folder} after {time.time() - began:.1f} s")


if __name__ == "__main__":
    main()
