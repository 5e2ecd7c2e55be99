"""Predicts glass transition temperatures of oligomers with a graph network."""

import argparse
import json
import logging
import os
import random
import tempfile
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch_geometric.loader import DataLoader

from positions import SpectralPositions, degree_histogram
from model import ChainNet
from polymers import ATOMS, library

HERE = Path(__file__).resolve().parent
log = logging.getLogger("tg")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graphs", type=int, default=420)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=24)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--k", type=int, default=6)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--out", type=Path, default=HERE / "out")
    return parser.parse_args()


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def nickname():
    rng = np.random.default_rng()
    words = ["amber", "resin", "shellac", "copal", "mastic", "dammar"]
    return f"{words[rng.integers(len(words))]}-{rng.integers(1000, 9999)}"


def save_atomically(state, path):
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    os.close(handle)
    torch.save(state, temporary)
    os.replace(temporary, path)


def split(graphs, seed):
    order = np.random.RandomState(seed).permutation(len(graphs))
    cut = int(0.8 * len(graphs))
    return [graphs[i] for i in order[:cut]], [graphs[i] for i in order[cut:]]


@torch.no_grad()
def evaluate(model, loader, mean, std):
    model.eval()
    errors = []
    for batch in loader:
        errors.append((model(batch) * std + mean - batch.y).abs())
    errors = torch.cat(errors)
    return errors.mean().item(), errors.max().item()


def main():
    args = arguments()
    args.out.mkdir(exist_ok=True)
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        handlers=[logging.FileHandler(args.out / "train.log", mode="w"), logging.StreamHandler()],
    )
    started = time.perf_counter()
    torch.set_num_threads(1)  # small graphs: more threads only get in the way
    seed_all(args.seed)
    log.info("run %s, process %d, %s", nickname(), os.getpid(), datetime.now().isoformat(timespec="seconds"))

    graphs = library(args.graphs, args.seed)
    encode = SpectralPositions(args.k, args.seed)
    graphs = [encode(data) for data in graphs]
    sizes = sorted({data.num_nodes for data in graphs})
    log.info("%d graphs of %d to %d atoms, degrees %s", len(graphs), sizes[0], sizes[-1], degree_histogram(graphs).tolist())
    log.info("prepared in %.1f s", time.perf_counter() - started)

    train, test = split(graphs, args.seed)
    targets = torch.cat([data.y for data in train])
    mean, std = targets.mean(), targets.std()
    train_loader = DataLoader(train, batch_size=args.batch_size, shuffle=True, drop_last=True)
    test_loader = DataLoader(test, batch_size=64)

    model = ChainNet(len(ATOMS), args.k)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=args.epochs * len(train_loader))
    history = []
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for batch in train_loader:
            batch = encode.flip(batch)
            loss = torch.nn.functional.smooth_l1_loss(model(batch), (batch.y - mean) / std)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        mae, worst = evaluate(model, test_loader, mean, std)
        history.append({"epoch": epoch, "loss": total / len(train_loader), "mae": mae, "worst": worst})
        log.info("epoch %d loss %.5f mae %.3f K worst %.3f K", epoch, history[-1]["loss"], mae, worst)

    save_atomically(model.state_dict(), args.out / "model.pt")
    (args.out / "history.json").write_text(json.dumps(history, indent=1))
    log.info("finished after %.1f s", time.perf_counter() - started)
    print(f"test MAE {history[-1]['mae']:.6f} K")


if __name__ == "__main__":
    main()
