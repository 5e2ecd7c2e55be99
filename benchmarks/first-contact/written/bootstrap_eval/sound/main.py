"""Evaluation only: test-time dropout and augmentation for a frozen regressor, latency next to accuracy."""
import json
import os
import platform
import secrets
import statistics
import sys
import time

import numpy as np
import torch
from torch import nn


class Frozen(nn.Module):
    """Weights are given by a formula, there is nothing to train."""

    def __init__(self, width=96):
        super().__init__()
        self.a, self.b = nn.Linear(10, width), nn.Linear(width, 1)
        self.drop = nn.Dropout(0.15)
        with torch.no_grad():
            k = torch.arange(width * 10, dtype=torch.float32).view(width, 10)
            self.a.weight.copy_(torch.sin(0.37 * k) / 3)
            self.a.bias.copy_(torch.cos(torch.arange(width).float()))
            self.b.weight.copy_(torch.cos(1.7 * torch.arange(width).float())[None] / width ** 0.5)
            self.b.bias.zero_()

    def forward(self, x):
        return self.b(self.drop(torch.tanh(self.a(x)))).squeeze(-1)


def mc_dropout(model, x, samples, seed):
    model.eval()
    model.drop.train()
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        runs = torch.stack([model(x) for _ in range(samples)])
    model.eval()
    return runs.mean(0), runs.std(0)


def jitter_tta(model, x, rng, n=16):
    with torch.no_grad():
        return torch.stack([model(x + torch.from_numpy(rng.normal(0, 0.05, x.shape)).float()) for _ in range(n)]).mean(0)


def paired_bootstrap(a, b, rng, n=1000):
    d = np.abs(a) - np.abs(b)
    means = d[rng.integers(0, len(d), (n, len(d)))].mean(1)
    return float((means > 0).mean())


def latency(model, x, repeats=30):
    times = []
    with torch.no_grad():
        for _ in range(repeats):
            t = time.perf_counter_ns()
            model(x)
            times.append((time.perf_counter_ns() - t) / 1e6)
    return {"p50_ms": statistics.median(times), "max_ms": max(times)}


def main():
    job = secrets.token_hex(4)
    print(f"job {job} pid {os.getpid()} python {platform.python_version()}", file=sys.stderr)
    data_rng, tta_rng, boot_rng = (np.random.default_rng(s) for s in np.random.SeedSequence(123).spawn(3))
    x = torch.from_numpy(data_rng.normal(size=(1200, 10))).float()
    model = Frozen().eval()
    with torch.no_grad():
        y = model(x).numpy() + data_rng.normal(0, 0.1, len(x))
        plain = model(x).numpy()
    mc, spread = mc_dropout(model, x, samples=40, seed=123)
    tta = jitter_tta(model, x, tta_rng)
    errors = {"plain": plain - y, "mc-dropout": mc.numpy() - y, "tta": tta.numpy() - y}
    result = {}
    for name in sorted(errors.keys() | {"plain"}):
        e = errors[name]
        result[name] = {"mae": float(np.abs(e).mean()), "rmse": float(np.sqrt((e ** 2).mean())),
                        "worse_than_plain": paired_bootstrap(e, errors["plain"], boot_rng)}
        print(name, json.dumps(result[name]))
    print("uncertainty / error correlation", float(np.corrcoef(spread.numpy(), np.abs(errors["mc-dropout"]))[0, 1]))
    with open("report.json", "w") as f:
        json.dump(result, f, indent=2)
    with open("latency.json", "w") as f:
        json.dump({"job": job, "at": time.time(), **latency(model, x)}, f)


if __name__ == "__main__":
    main()
