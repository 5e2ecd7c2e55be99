"""Surrogate of the reactor model, for the optimiser.

Solves the design points on a few processes, then fits an MLP.
"""
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np
import torch
from scipy.stats import qmc
from torch import nn

from reactor import BOUNDS, run_case

SEED = 99
N_CASES = 256
WORKERS = 3


def design(n):
    low, high = zip(*BOUNDS.values())
    unit = qmc.Sobol(d=len(BOUNDS), scramble=True, seed=SEED).random(n)
    return qmc.scale(unit, low, high)


def solve(points):
    """Runs all the cases; returns inputs and outputs as arrays."""
    t0 = time.time()
    inputs, outputs = [], []
    with ProcessPoolExecutor(WORKERS) as pool:
        jobs = {pool.submit(run_case, x): x for x in points}
        for done, job in enumerate(as_completed(jobs), 1):
            inputs.append(jobs[job])
            outputs.append(job.result())
            if done % 64 == 0:
                print(f"  solved {done}/{len(points)} after {time.time() - t0:.1f} s", flush=True)
    return np.array(inputs), np.array(outputs)


def fit(x, y, epochs=60, batch=32):
    net = nn.Sequential(nn.Linear(4, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 3))
    opt = torch.optim.NAdam(net.parameters(), lr=5e-3)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.96)
    for epoch in range(epochs):
        perm = torch.randperm(len(x))
        for idx in perm.split(batch):
            loss = nn.functional.mse_loss(net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        sched.step()
        if epoch % 15 == 14:
            with torch.no_grad():
                print(f"epoch {epoch + 1:3d}  mse {nn.functional.mse_loss(net(x), y).item():.4e}")
    return net


def main():
    torch.manual_seed(SEED)
    points, outputs = solve(design(N_CASES))

    low, high = map(np.array, zip(*BOUNDS.values()))
    x = torch.tensor((points - low) / (high - low) * 2 - 1, dtype=torch.float32)
    y = torch.tensor(outputs, dtype=torch.float32)
    net = fit(x, y)

    # check against the model at a few points in the middle of the region
    grid = np.stack([low + (high - low) * f for f in (0.3, 0.5, 0.7)])
    exact = np.stack([run_case(g) for g in grid])
    with torch.no_grad():
        guess = net(torch.tensor((grid - low) / (high - low) * 2 - 1, dtype=torch.float32)).numpy()
    for e, g in zip(exact, guess):
        print("model", np.round(e, 4), "surrogate", np.round(g, 4))
    torch.save(net.state_dict(), "cstr_net.pt")


if __name__ == "__main__":
    main()
