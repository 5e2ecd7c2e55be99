"""Learn surface tension (as the Bond number) from the outlines of simulated pendant droplets."""
import argparse
import multiprocessing as mp
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from droplet import profile


def plan(count, seed):
    rng = np.random.default_rng(seed)
    return [(float(b), float(s)) for b, s in zip(rng.uniform(0.05, 0.6, count), rng.uniform(1.5, 3.5, count))]


def simulate(cases, processes):
    """One outline for each case."""
    started = time.perf_counter()
    outlines = []
    with mp.get_context("fork").Pool(processes) as pool:
        for outline in pool.imap_unordered(profile, cases):
            outlines.append(outline)
            if len(outlines) % 60 == 0:
                print(f"  {len(outlines)}/{len(cases)} droplets, {time.perf_counter() - started:.1f} s", flush=True)
    return np.stack(outlines)


class Net(nn.Module):
    def __init__(self, inputs):
        super().__init__()
        self.norm = nn.LayerNorm(inputs)
        self.body = nn.Sequential(nn.Linear(inputs, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU())
        self.head = nn.Linear(64, 2)

    def forward(self, x):
        return self.head(self.body(self.norm(x)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--count", type=int, default=180)
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--processes", type=int, default=2)
    ap.add_argument("--seed", type=int, default=77)
    args = ap.parse_args()

    cases = plan(args.count, args.seed)
    outlines = simulate(cases, args.processes)

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    noise = np.random.default_rng([args.seed, 1]).normal(0, 2e-3, outlines.shape)
    x = torch.tensor(outlines + noise, dtype=torch.float32)
    y = torch.tensor(cases, dtype=torch.float32)
    y = (y - y.mean(0)) / y.std(0)
    cut = len(x) * 4 // 5
    loader = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=24, shuffle=True,
                        generator=torch.Generator().manual_seed(args.seed))
    net = Net(x.shape[1])
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        for xb, yb in loader:
            loss = nn.functional.mse_loss(net(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: last batch {loss.item():.7f}")
    with torch.no_grad():
        print(f"test error {nn.functional.mse_loss(net(x[cut:]), y[cut:]).item():.9f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in net.parameters()):.10f}")


if __name__ == "__main__":
    main()
