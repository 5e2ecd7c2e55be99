"""Kayak technique from a wrist sensor: which of five strokes was it?"""
import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from augment import Augmenter
from paddling import STROKES, session
from strokenet import StrokeNet


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--threads", type=int, default=3, help="threads that augment")
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent / "trained")
    return parser.parse_args()


def train(net, x, y, args):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    order = np.random.default_rng(args.seed)
    curve = []
    with Augmenter(args.threads, args.seed) as augmenter:
        for epoch in range(args.epochs):
            began = time.perf_counter()
            rows = order.permutation(len(x))
            strokes = torch.from_numpy(augmenter.epoch(x[rows]))
            waited = time.perf_counter() - began
            net.train()
            losses = []
            for inputs, kinds in zip(strokes.split(40), torch.from_numpy(y[rows]).split(40)):
                loss = nn.functional.cross_entropy(net(inputs), kinds, label_smoothing=0.05)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
            schedule.step()
            curve.append(float(np.mean(losses)))
            print(f"{epoch:3d}  loss {curve[-1]:.5f}  lr {schedule.get_last_lr()[0]:.4f}  "
                  f"augmented in {waited:.2f} s", flush=True)
    return curve


def main():
    args = arguments()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    x, y = session(1400, seed=args.seed + 1)
    x_test, y_test = session(500, seed=args.seed + 2)
    net = StrokeNet(x.shape[1], len(STROKES))
    curve = train(net, x, y, args)

    net.eval()
    with torch.no_grad():
        guess = net(torch.from_numpy(x_test)).argmax(1).numpy()
    recall = {name: float((guess[y_test == k] == k).mean()) for k, name in enumerate(STROKES)}
    print("recall", "  ".join(f"{name} {value:.3f}" for name, value in recall.items()))
    args.out.mkdir(parents=True, exist_ok=True)
    torch.save(net.state_dict(), args.out / "strokes.pt")
    (args.out / "metrics.json").write_text(json.dumps({"curve": curve, "recall": recall}, indent=2))


if __name__ == "__main__":
    main()
