"""Train a small U-Net that outlines nuclei in synthetic fluorescence fields."""
import argparse
import json
import logging
import os
import secrets
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from nuclei.augment import Compose, GainJitter, RandomCrop, RandomFlip
from nuclei.data import FieldDataset, render_fields
from nuclei.model import TinyUNet, dice_loss
from nuclei.runtime import RunningMean, prepare

log = logging.getLogger("nuclei")


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--seed", type=int, default=1234)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--crop", type=int, default=48)
    p.add_argument("--train-fields", type=int, default=64)
    p.add_argument("--val-fields", type=int, default=16)
    p.add_argument("--out", type=Path, default=Path("."))
    return p.parse_args()


@torch.no_grad()
def evaluate(net, loader):
    net.eval()
    inter = union = 0.0
    for image, mask in loader:
        pred = net(image).sigmoid() > 0.5
        truth = mask > 0.5
        inter += (pred & truth).sum().item()
        union += (pred | truth).sum().item()
    net.train()
    return inter / max(union, 1.0)


def main():
    args = parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    run = f"nuclei-{secrets.token_hex(3)}"
    log.info("run %s, pid %d, torch %s", run, os.getpid(), torch.__version__)
    prepare(args.seed)

    train_fields = render_fields(args.train_fields, seed=args.seed)
    val_fields = render_fields(args.val_fields, seed=args.seed + 1)
    augment = Compose([RandomCrop(args.crop), RandomFlip(0.5), GainJitter(0.15)])
    train = DataLoader(FieldDataset(train_fields, augment), args.batch_size, shuffle=True, drop_last=True)
    val = DataLoader(FieldDataset(val_fields), args.batch_size)

    net = TinyUNet(width=8)
    optim = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(optim, args.lr, total_steps=args.epochs * len(train))
    bce = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))

    history = []
    for epoch in range(args.epochs):
        began, mean = time.perf_counter(), RunningMean()
        for image, mask in train:
            logits = net(image)
            loss = bce(logits, mask) + dice_loss(logits, mask)
            optim.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optim.step()
            sched.step()
            mean.add(loss.item(), len(image))
        took = time.perf_counter() - began
        iou = evaluate(net, val)
        history.append({"epoch": epoch, "loss": mean.value, "val_iou": iou})
        log.info("epoch %d  loss %.4f  val IoU %.4f  (%.1f img/s)", epoch, mean.value, iou, mean.count / took)

    torch.save({"net": net.state_dict(), "args": {"seed": args.seed, "crop": args.crop}}, args.out / "unet.pt")
    (args.out / "history.json").write_text(json.dumps(history, indent=1))
    log.info("%s finished", run)


if __name__ == "__main__":
    main()
