"""Tells bow strokes apart; the final weights are the average of the three best epochs."""
import argparse
import json
import time
from datetime import datetime
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

from net import BowNet
from scoring import EpochScorer, average
from strokes import STROKES, Notes, mask_bands


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=640)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=440)
    parser.add_argument("--keep", type=int, default=3)
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    return parser.parse_args()


def train(net, notes, scorer, opt):
    loader = DataLoader(notes, batch_size=opt.batch, shuffle=True, drop_last=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=opt.lr * 10, momentum=0.9, nesterov=True, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, opt.epochs * len(loader))
    for epoch in range(opt.epochs):
        started, total = time.monotonic(), 0.0
        net.train()
        for x, y in loader:
            loss = F.cross_entropy(net(mask_bands(x)), y, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item()
        print(f"epoch {epoch}: train {total / len(loader):.4f} in {time.monotonic() - started:.2f} s")
        scorer.submit(epoch, net)


@torch.no_grad()
def test(net, notes):
    net.eval()
    out = torch.cat([net(x) for x, _ in DataLoader(notes, batch_size=100)])
    return {"loss": F.cross_entropy(out, notes.labels).item(),
            "right": (out.argmax(1) == notes.labels).float().mean().item()}


def main():
    opt = options()
    torch.manual_seed(opt.seed)
    torch.set_num_threads(1)
    folder = opt.runs / f"{datetime.now():%m%d_%H%M%S}"
    folder.mkdir(parents=True, exist_ok=True)

    notes, held_back, unseen = Notes(opt.notes, opt.seed + 1), Notes(240, opt.seed + 2), Notes(300, opt.seed + 3)
    net = BowNet(len(STROKES))
    scorer = EpochScorer(net, held_back, folder)
    train(net, notes, scorer, opt)

    scores = scorer.results()
    best = sorted(scores, key=lambda s: (s["loss"], s["epoch"]))[:opt.keep]
    net.load_state_dict(average([s["path"] for s in best]))
    metrics = {
        "valid": [{"epoch": s["epoch"], "loss": s["loss"], "right": s["right"]} for s in scores],
        "averaged": [s["epoch"] for s in best],
        "test": test(net, unseen),
    }
    torch.save(net.state_dict(), folder / "bownet.pt")
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=2))
    print(f"{metrics['test']['right']:.1%} of unseen notes right, in {folder}")


if __name__ == "__main__":
    main()
