"""Simulation-based inference: a process pool makes the data, a network learns the parameters."""
import multiprocessing as mp
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np
import torch
from torch import nn

from simulate import simulate


def generate(runs, seed):
    jobs = list(enumerate(np.random.SeedSequence(seed).spawn(runs)))
    series = np.zeros((runs, 24), np.float32)
    target = np.zeros((runs, 2), np.float32)
    load, busy = Counter(), 0.0
    with ProcessPoolExecutor(2, mp_context=mp.get_context("fork")) as pool:
        for future in as_completed([pool.submit(simulate, job) for job in jobs]):
            number, row, label, pid, seconds = future.result()
            series[number], target[number] = row, label
            load[pid] += 1
            busy += seconds
    print("jobs per worker", dict(load), f"busy {busy:.1f} s")
    return torch.from_numpy(series), torch.from_numpy(target)


def main():
    x, y = generate(runs=120, seed=99)
    torch.manual_seed(99)
    net = nn.Sequential(nn.Linear(24, 40), nn.SiLU(), nn.Dropout(0.1), nn.Linear(40, 2))
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 150)
    for step in range(150):
        idx = torch.randint(len(x), (32,))
        loss = (net(x[idx]) - y[idx]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
    net.eval()
    with torch.no_grad():
        error = (net(x) - y).abs().mean(0)
    np.savetxt("errors.txt", error.numpy(), fmt="%.9g")
    print("final error", error.tolist(), "loss", loss.item())


if __name__ == "__main__":
    main()
