#!/usr/bin/env python3
"""Learn where a damped pendulum is after ten seconds, from simulations done in several processes."""
import csv
import math
import multiprocessing as mp
import os
import time

import numpy as np
import torch
import torch.nn as nn

N_SIM = 240
SEED = 6


def simulate(params):
    angle, speed, damping = params
    dt, steps = 0.02, int(300 + 400 * damping)
    for _ in range(steps):
        def acc(a, v):
            return -math.sin(a) * 9.81 - damping * v
        k1v = acc(angle, speed)
        k2v = acc(angle + 0.5 * dt * speed, speed + 0.5 * dt * k1v)
        angle += dt * (speed + 0.5 * dt * k1v)
        speed += dt * k2v
    return math.sin(angle), math.cos(angle), speed


def progress(iterator, total):
    start = time.time()
    for i, value in enumerate(iterator, 1):
        if i % 60 == 0:
            print(f"  {i}/{total} simulations, {time.time() - start:.1f}s", flush=True)
        yield value


def dataset():
    rng = np.random.default_rng(SEED)
    params = np.column_stack([rng.uniform(-2, 2, N_SIM), rng.uniform(-3, 3, N_SIM), rng.uniform(0.05, 1.0, N_SIM)])
    with mp.Pool(min(4, os.cpu_count() or 1)) as pool:
        ends = list(progress(pool.imap(simulate, params.tolist(), chunksize=4), N_SIM))
    return torch.tensor(params, dtype=torch.float32), torch.tensor(ends, dtype=torch.float32)


def main():
    x, y = dataset()
    torch.manual_seed(SEED)
    net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 3))
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    n_train = int(0.8 * N_SIM)
    with open("surrogate.csv", "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["epoch", "train", "test"])
        for epoch in range(40):
            total = 0.0
            for idx in torch.randperm(n_train).split(24):
                loss = (net(x[idx]) - y[idx]).square().mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item() * len(idx)
            with torch.no_grad():
                test = (net(x[n_train:]) - y[n_train:]).square().mean().item()
            out.writerow([epoch, f"{total / n_train:.8f}", f"{test:.8f}"])
            if epoch % 10 == 9:
                print(f"epoch {epoch + 1}: train {total / n_train:.6f} test {test:.6f}")
    torch.save(net.state_dict(), "surrogate.pt")


if __name__ == "__main__":
    main()
