"""Depth of anesthesia from two frontal EEG channels.

Trains a small convolutional regressor on windows of eight seconds of a (synthetic) cohort and tests it
on patients that it has not seen.  Windows are disturbed during training the way they are in theatre:
eye blinks, the electric knife, electrodes that come off.

    python main.py
    python main.py --epochs 12 --no-artifacts
"""
import argparse
import json
import logging
import time
from datetime import datetime
from pathlib import Path

import torch
from torch.utils.data import DataLoader, TensorDataset

from artifacts import Theatre
from cohort import load_cohort
from depth_net import DepthNet, evaluate, train_epoch
from seeding import generator_for, seed_everything

log = logging.getLogger("depth")


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--patients", type=int, default=26)
    parser.add_argument("--windows", type=int, default=32, help="windows of each patient")
    parser.add_argument("--test-patients", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--no-artifacts", action="store_true")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path, default=Path("trained"))
    return parser.parse_args()


def set_up_log(folder):
    folder.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        datefmt="%H:%M:%S",
        handlers=[logging.StreamHandler(), logging.FileHandler(folder / "train.log", mode="w")],
    )


def main():
    args = parse_args()
    set_up_log(args.out)
    seed_everything(args.seed)
    torch.set_num_threads(1)

    train_set, test_set = load_cohort(args.patients, args.windows, args.test_patients)
    model = DepthNet()
    theatre = None if args.no_artifacts else Theatre(generator_for("artifacts"))
    loader = DataLoader(
        TensorDataset(*train_set),
        batch_size=args.batch_size,
        shuffle=True,
        drop_last=True,
        generator=torch.Generator().manual_seed(args.seed),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.lr, total_steps=args.epochs * len(loader)
    )
    log.info("%d training windows, %d test windows, %d parameters", len(train_set[0]), len(test_set[0]),
             sum(parameter.numel() for parameter in model.parameters()))

    history = []
    for epoch in range(args.epochs):
        began = time.perf_counter()
        loss = train_epoch(model, loader, optimizer, schedule, theatre)
        scores = evaluate(model, *test_set)
        history.append({"epoch": epoch, "loss": loss, **scores})
        log.info("epoch %d: loss %.6f, test mae %.4f, correlation %.5f, light/deep accuracy %.4f (%.1f s)",
                 epoch, loss, scores["mae"], scores["correlation"], scores["accuracy"],
                 time.perf_counter() - began)

    torch.save({"model": model.state_dict(), "args": {"seed": args.seed, "lr": args.lr}},
               args.out / "depth_net.pt")
    results = {
        "finished": datetime.now().isoformat(timespec="seconds"),
        "seed": args.seed,
        "final": history[-1],
        "history": history,
    }
    (args.out / "results.json").write_text(json.dumps(results, indent=2))
    log.info("wrote %s", args.out / "results.json")


if __name__ == "__main__":
    main()
