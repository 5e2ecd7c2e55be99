"""Grades fundus crops. The model of the epoch with the lowest validation loss is kept."""
import argparse
import json
import logging
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from data import make_set
from net import GradeNet
from validation import BackgroundValidator

log = logging.getLogger("train")


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path, default=Path("out"))
    return parser.parse_args()


def main():
    args = parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s")
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    train_set = make_set(1400, seed=1)
    valid_set = make_set(900, seed=2)
    order = torch.Generator().manual_seed(args.seed)
    loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, drop_last=True, generator=order)

    model = GradeNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=args.epochs * len(loader))
    validator = BackgroundValidator(valid_set)

    for epoch in range(args.epochs):
        model.train()
        started, total = time.perf_counter(), 0.0
        for images, grades in loader:
            loss = F.cross_entropy(model(images), grades, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item()
        validator.submit(epoch, model)
        rate = len(train_set) / (time.perf_counter() - started)
        log.info("epoch %d  training loss %.5f  %.0f crops/s", epoch, total / len(loader), rate)

    history, (best_epoch, best_loss, best_model) = validator.finish()
    args.out.mkdir(exist_ok=True)
    torch.save(best_model.state_dict(), args.out / "best.pt")
    torch.save(model.state_dict(), args.out / "last.pt")
    metrics = {"best_epoch": best_epoch, "best_loss": best_loss, "kappa": history[best_epoch][1]}
    (args.out / "metrics.json").write_text(json.dumps(metrics, indent=1))
    print(f"best epoch {best_epoch}  loss {best_loss:.6f}  kappa {history[best_epoch][1]:.5f}")


if __name__ == "__main__":
    main()
