"""An emulator of mortar strength, trained on simulated prisms."""

import argparse
import json
import multiprocessing
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from scipy.stats import qmc
from torch import nn

from curing import Mix, cure, open_bench

INPUTS = ["water", "sand", "lime", "days"]


def plan(count, seed):
    cube = qmc.LatinHypercube(4, rng=np.random.default_rng(seed)).random(count)
    low, high = [0.35, 1.5, 0.0, 2], [0.75, 4.0, 0.5, 90]
    return [
        Mix(number, float(w), float(s), float(li), int(d))
        for number, (w, s, li, d) in enumerate(qmc.scale(cube, low, high))
    ]


def simulate(mixes, processes, seed):
    context = multiprocessing.get_context("fork")
    seats = context.Value("i", 0)
    began = time.perf_counter()
    with context.Pool(processes, open_bench, (seed, seats)) as pool:
        rows = list(pool.imap(cure, mixes))
    print(f"{len(mixes)} mixes on {processes} processes in {time.perf_counter() - began:.2f} s")
    strengths = pd.DataFrame(rows, columns=["number", "strength", "spread"]).set_index("number")
    frame = pd.DataFrame([vars(m) for m in mixes]).set_index("number")
    return frame.join(strengths)


class Emulator(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.body = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 2))

    def forward(self, x):
        mean, log_scale = self.body((x - self.mean) / self.std).unbind(1)
        return mean, log_scale.clamp(-4, 3)


def train(frame, epochs):
    x = torch.tensor(frame[INPUTS].to_numpy(), dtype=torch.float32)
    y = torch.tensor(frame["strength"].to_numpy(), dtype=torch.float32)
    y = (y - y.mean()) / y.std()
    model = Emulator(x.mean(0), x.std(0))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(epochs):
        for chosen in torch.randperm(len(x)).split(40):
            mean, log_scale = model(x[chosen])
            loss = (log_scale + 0.5 * ((y[chosen] - mean) / log_scale.exp()) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3d}  loss {loss.item():.6f}")
    return model, loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mixes", type=int, default=220)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1889)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    frame = simulate(plan(args.mixes, args.seed), args.processes, args.seed)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "mixes.csv")
        frame.to_csv(table)
        frame = pd.read_csv(table, index_col="number")
    model, loss = train(frame, args.epochs)
    weights = sum(p.detach().double().pow(2).sum().item() for p in model.parameters())
    print(json.dumps({"mean strength": frame["strength"].mean(), "loss": loss, "weights": weights}))


if __name__ == "__main__":
    main()
