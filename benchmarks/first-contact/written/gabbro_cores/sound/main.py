import argparse
import json
import random
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import confusion_matrix, f1_score
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from consensus import classes_of, label_intervals
from cores import ELEMENTS, drill_all
from model import RockNet


def parse_args():
    p = argparse.ArgumentParser("gabbro_cores")
    p.add_argument("--holes", type=int, default=40)
    p.add_argument("--intervals", type=int, default=110)
    p.add_argument("--loggers", type=int, default=4)
    p.add_argument("--epochs", type=int, default=16)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=1.5e-3)
    p.add_argument("--seed", type=int, default=5)
    p.add_argument("--out", type=Path, default=Path("out"))
    return p.parse_args()


def by_hole(labelled, held_out_share, rng):
    """Whole holes are held out: neighbours in one hole are too alike."""
    holes = sorted({interval.hole for interval, _, _ in labelled})
    held_out = set(rng.sample(holes, int(held_out_share * len(holes))))
    kept = [row for row in labelled if row[0].hole not in held_out]
    return kept, [row for row in labelled if row[0].hole in held_out]


def tensors(rows, classes):
    index = {name: i for i, name in enumerate(classes)}
    x = torch.tensor([interval.readings for interval, _, _ in rows]).log1p()
    y = torch.tensor([index[label] for _, label, _ in rows])
    w = torch.tensor([weight for _, _, weight in rows])
    return x, y, w


def main():
    args = parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    started = time.time()
    labelled = label_intervals(drill_all(args.holes, args.intervals, args.loggers, args.seed))
    classes = classes_of(labelled)
    train_rows, test_rows = by_hole(labelled, 0.2, random.Random(args.seed))
    train, test = tensors(train_rows, classes), tensors(test_rows, classes)
    print(f"{len(train_rows)} intervals to train on, {len(test_rows)} held out, {time.time() - started:.1f}s")

    net = RockNet(len(ELEMENTS), len(classes))
    net.calibrate(train[0])
    loader = DataLoader(TensorDataset(*train), args.batch_size, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.lr * 3, total_steps=args.epochs * len(loader))

    history = []
    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for x, y, w in loader:
            loss = (w * F.cross_entropy(net(x), y, reduction="none")).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item() * len(x)
        history.append(total / len(train_rows))
        print(f"epoch {epoch + 1:2d}/{args.epochs}  loss {history[-1]:.4f}  [{time.time() - started:5.1f}s]")

    net.eval()
    with torch.no_grad():
        guess = net(test[0]).argmax(1)
    truth = [classes.index(interval.rock) for interval, _, _ in test_rows]
    metrics = {
        "f1_consensus": f1_score(test[1], guess, average="macro"),
        "f1_thin_section": f1_score(truth, guess, average="macro"),
        "confusion": confusion_matrix(truth, guess).tolist(),
        "train_loss": history,
    }
    args.out.mkdir(parents=True, exist_ok=True)
    torch.save({"classes": classes, "model": net.state_dict()}, args.out / "rocknet.pt")
    (args.out / "metrics.json").write_text(json.dumps(metrics, indent=1))
    print(f"macro F1 {metrics['f1_thin_section']:.4f}, saved {time.strftime('%Y-%m-%d %H:%M')}")


if __name__ == "__main__":
    main()
