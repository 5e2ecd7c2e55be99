"""Canopy nitrogen of barley plots from a hyperspectral flight."""
import argparse
import json
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

from regress import NitrogenNet, predict
from spectra import PlotLooks, Tilt, load_cube
from survey import Flight, fetch


def get_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--held-out-block", type=int, default=5)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--resume", type=Path, help="checkpoint to go on from")
    return parser.parse_args()


def note(line, file=Path("campaign.log")):
    line = f"{datetime.now():%Y-%m-%d %H:%M:%S}  {line}"
    print(line)
    with open(file, "a") as log:
        log.write(line + "\n")


def datasets(args):
    cube_path, plots_path = fetch(Flight(), args.data)
    plots = pd.read_csv(plots_path)
    cube = load_cube(cube_path)
    target = torch.tensor(plots["nitrogen"].to_numpy(), dtype=torch.float32)
    held_out = plots["block"].to_numpy() == args.held_out_block
    train = PlotLooks(cube, target, np.flatnonzero(~held_out), Tilt(0.03, args.seed))
    return train, PlotLooks(cube, target, np.flatnonzero(held_out))


def main():
    args = get_args()
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    train, test = datasets(args)
    note(f"{len(train)} looks to train on, {len(test)} held out")
    loader = DataLoader(train, batch_size=args.batch, shuffle=True)
    net = NitrogenNet()
    net(next(iter(DataLoader(test, batch_size=2)))[0])
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr)
    first = 0
    if args.resume:
        saved = torch.load(args.resume)
        net.load_state_dict(saved["net"])
        optimizer.load_state_dict(saved["optimizer"])
        first = saved["epoch"] + 1

    run = Path("runs") / f"{datetime.now():%Y%m%d_%H%M%S}"
    run.mkdir(parents=True, exist_ok=True)
    history = []
    for epoch in range(first, args.epochs):
        started, total = time.perf_counter(), 0.0
        net.train()
        for x, y in loader:
            loss = F.smooth_l1_loss(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        guess, truth = predict(net, DataLoader(test, batch_size=256))
        history.append({"epoch": epoch, "train": total / len(train), "rmse": (guess - truth).pow(2).mean().sqrt().item()})
        torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, run / "last.pt")
        note(f"epoch {epoch}  train {history[-1]['train']:.4f}  rmse {history[-1]['rmse']:.4f}  "
             f"{time.perf_counter() - started:.1f} s")

    per_plot = guess.view(-1, test.looks).mean(1)
    error = per_plot - truth.view(-1, test.looks)[:, 0]
    metrics = {"history": history, "plot_rmse": error.pow(2).mean().sqrt().item(), "plot_bias": error.mean().item()}
    (run / "metrics.json").write_text(json.dumps(metrics, indent=2))
    note(f"plot RMSE {metrics['plot_rmse']:.4f} % N, in {run}")


if __name__ == "__main__":
    main()
