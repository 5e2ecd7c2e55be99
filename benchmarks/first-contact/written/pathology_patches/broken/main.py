"""Tumour / stroma / fat classification of small stained patches.

    python main.py --epochs 4 --workers 2
"""
import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from patches import PatchSet, split_by_patient
from stain import RandomErase, StainJitter
from net import PatchNet, count_parameters


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--batch-size", type=int, default=24)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--seed", type=int, default=1701)
    p.add_argument("--out", type=Path, default=Path("results"))
    return p.parse_args()


@torch.no_grad()
def evaluate(net, loader, classes):
    net.eval()
    confusion = torch.zeros(classes, classes, dtype=torch.long)
    loss, n = 0.0, 0
    for x, y in loader:
        logits = net(x)
        loss += F.cross_entropy(logits, y, reduction="sum").item()
        n += len(y)
        for t, p in zip(y.tolist(), logits.argmax(1).tolist()):
            confusion[t, p] += 1
    return loss / n, confusion


def main():
    args = parse()
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)
    torch.set_num_threads(1)
    args.out.mkdir(exist_ok=True)
    print(f"pid {os.getpid()} started {time.strftime('%H:%M:%S')}")

    train_ids, test_ids = split_by_patient(patients=30, held_out=6, seed=args.seed)
    jitter = [StainJitter(0.12), RandomErase(side=6, p=0.4)]
    train = PatchSet(train_ids, per_patient=16, transforms=jitter)
    test = PatchSet(test_ids, per_patient=16)
    loader = DataLoader(train, args.batch_size, shuffle=True, num_workers=args.workers)
    held_out = DataLoader(test, 48)
    print(f"{len(train)} training patches, {len(test)} held out, {args.workers} workers")

    net = PatchNet(classes=3)
    print(f"{count_parameters(net)} parameters")
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, args.lr * 3, total_steps=args.epochs * len(loader))

    history = []
    for epoch in range(args.epochs):
        net.train()
        tick, total = time.perf_counter(), 0.0
        for x, y in loader:
            loss = F.cross_entropy(net(x), y, label_smoothing=0.05)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(y)
        val, confusion = evaluate(net, held_out, 3)
        acc = confusion.diag().sum().item() / confusion.sum().item()
        history.append({"epoch": epoch, "train": total / len(train), "val": val, "acc": acc})
        print(f"epoch {epoch}: train {total / len(train):.6f}  val {val:.6f}  acc {acc:.4f}")
        print(f"    {len(train) / (time.perf_counter() - tick):.0f} patches/s")

    torch.save(net.state_dict(), args.out / "patchnet.pt")
    (args.out / "history.json").write_text(json.dumps(history, indent=1))
    np.savetxt(args.out / "confusion.csv", confusion.numpy(), fmt="%d", delimiter=",")


if __name__ == "__main__":
    main()
