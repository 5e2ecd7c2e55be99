import argparse
import json
import logging
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

from net import WearNet
from signals import STAGES, SpindleSet, make_loader, simulate

logging.basicConfig(format="[%(asctime)s] %(message)s", level=logging.INFO)


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def train_epoch(model, loader, opt, sched):
    model.train()
    total = seen = 0
    for x, y in loader:
        loss = F.cross_entropy(model(x), y, label_smoothing=0.05)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item() * len(y)
        seen += len(y)
    return total / seen


@torch.no_grad()
def test(model, loader):
    model.eval()
    confusion = torch.zeros(len(STAGES), len(STAGES), dtype=torch.long)
    loss = 0.0
    for x, y in loader:
        out = model(x)
        loss += F.cross_entropy(out, y, reduction="sum").item()
        for a, b in zip(y, out.argmax(1)):
            confusion[a, b] += 1
    n = confusion.sum().item()
    return loss / n, confusion.diag().sum().item() / n, confusion


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=7)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--workers", type=int, default=2)
    ap.add_argument("--save-dir", default="checkpoints")
    args = ap.parse_args()

    set_seed(args.seed)
    x, y = simulate(2000, args.seed)
    cut = 1600
    train_loader = make_loader(SpindleSet(x[:cut], y[:cut], True), args.batch_size, args.workers, args.seed)
    test_loader = make_loader(SpindleSet(x[cut:], y[cut:], False), 200, 0, args.seed)

    model = WearNet()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=args.epochs * len(train_loader))

    history = []
    for epoch in range(1, args.epochs + 1):
        t0 = time.time()
        train_loss = train_epoch(model, train_loader, opt, sched)
        test_loss, acc, confusion = test(model, test_loader)
        history.append({"epoch": epoch, "train_loss": train_loss, "test_loss": test_loss, "acc": acc})
        logging.info("epoch %d/%d train %.4f test %.4f acc %.3f (%.1fs)",
                     epoch, args.epochs, train_loss, test_loss, acc, time.time() - t0)

    os.makedirs(args.save_dir, exist_ok=True)
    torch.save({"model": model.state_dict(), "stages": STAGES}, os.path.join(args.save_dir, "last.pt"))
    with open(os.path.join(args.save_dir, "metrics.json"), "w") as f:
        json.dump({"history": history, "confusion": confusion.tolist()}, f, indent=1)


if __name__ == "__main__":
    main()
