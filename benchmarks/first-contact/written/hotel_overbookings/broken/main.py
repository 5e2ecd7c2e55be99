"""Learns a rule for overbooking from simulated nights."""
import argparse
import logging
import multiprocessing as mp
import time
from dataclasses import asdict

import numpy as np
import pandas as pd
import torch
from torch import nn

import demand

log = logging.getLogger("overbooking")
FEATURES = ["rooms", "weekday", "season", "lead_days", "price"]


def simulate(nights, seed, workers):
    """One row a night; the nights differ in cost, so the pool hands them out a few at a time."""
    ctx = mp.get_context("fork")
    started = ctx.Value("i", 0)
    with ctx.Pool(workers, initializer=demand.start_worker, initargs=(seed, started)) as pool:
        answers = pool.map(demand.best_limit, nights, chunksize=4)
    frame = pd.DataFrame([asdict(n) for n in nights]).set_index("index")
    frame[["extra", "revenue", "walk_rate"]] = pd.DataFrame(answers, index=frame.index)
    return frame


def tensors(frame, mean, std):
    x = (frame[FEATURES] - mean) / std
    y = frame[["extra", "walk_rate"]] / [10.0, 0.5]
    return (torch.tensor(x.to_numpy(), dtype=torch.float32),
            torch.tensor(y.to_numpy(), dtype=torch.float32))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--nights", type=int, default=360)
    ap.add_argument("--seed", type=int, default=5)
    ap.add_argument("--epochs", type=int, default=25)
    ap.add_argument("--workers", type=int, default=2)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)

    begun = time.perf_counter()
    nights = demand.calendar(args.nights, args.seed)
    frame = simulate(nights, args.seed, args.workers)
    log.info("simulated %d nights in %.2f s", len(frame), time.perf_counter() - begun)
    print(frame.groupby("weekday")["extra"].mean().round(3).to_string())

    held_out = frame.index % 5 == 0
    train, test = frame[~held_out], frame[held_out]
    mean, std = train[FEATURES].mean(), train[FEATURES].std()
    x, y = tensors(train, mean, std)
    test_x, test_y = tensors(test, mean, std)

    net = nn.Sequential(nn.Linear(5, 48), nn.SiLU(), nn.Dropout(0.05), nn.Linear(48, 48), nn.SiLU(),
                        nn.Linear(48, 2))
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    for epoch in range(args.epochs):
        order = torch.randperm(len(x))
        total = 0.0
        for rows in order.split(32):
            opt.zero_grad()
            loss = nn.functional.smooth_l1_loss(net(x[rows]), y[rows])
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            total += loss.item() * len(rows)
        sched.step()
        if epoch % 5 == 4:
            log.info("epoch %d loss %.6f", epoch, total / len(x))

    net.eval()
    with torch.no_grad():
        error = (net(test_x) - test_y)[:, 0].abs().mean().item() * 10
    weight_sum = sum(p.double().sum().item() for p in net.parameters())
    print(f"mean error {error:.6f} rooms, weight sum {weight_sum:.10f}")


if __name__ == "__main__":
    main()
