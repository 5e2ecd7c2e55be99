"""Predicts acidity and viscosity of yoghurt from the first hours of fermentation."""

import argparse
import logging
import sqlite3
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from evaluator import Evaluator

log = logging.getLogger("yoghurt")


def ferment(count, seed):
    rng = np.random.default_rng(seed)
    hours = np.linspace(0, 3, 24)
    warmth = rng.normal(42, 1.2, count)
    inoculum = rng.lognormal(0, 0.3, count)
    fat = rng.uniform(0.5, 10, count)
    rate = inoculum * np.exp(-((warmth - 42.5) / 3) ** 2)
    curve = 6.6 - 2.1 / (1 + np.exp(-(hours[None] * rate[:, None] * 1.6 - 3)))
    curve += rng.normal(0, 0.03, curve.shape)
    goal = np.column_stack([
        6.6 - 2.2 / (1 + np.exp(-(6 * rate - 3))),
        0.2 * fat + rate + rng.normal(0, 0.1, count),
    ])
    x = np.column_stack([curve, warmth - 42, fat]).astype(np.float32)
    return torch.from_numpy((x - x.mean(0)) / x.std(0)), torch.from_numpy(goal.astype(np.float32))


class Average:
    """Exponential moving average of the weights."""

    def __init__(self, model, decay):
        self.decay = decay
        self.values = [p.detach().clone() for p in model.parameters()]

    @torch.no_grad()
    def update(self, model):
        for kept, now in zip(self.values, model.parameters()):
            kept.lerp_(now, 1 - self.decay)

    def copy_to(self, model):
        with torch.no_grad():
            for kept, p in zip(self.values, model.parameters()):
                p.copy_(kept)


def make_model(inputs, width):
    return nn.Sequential(
        nn.Linear(inputs, width), nn.SiLU(), nn.Dropout(0.15),
        nn.Linear(width, width), nn.SiLU(), nn.Dropout(0.15),
        nn.Linear(width, 2),
    )


def batches(x, y, size, generator):
    while True:
        for rows in torch.randperm(len(x), generator=generator).split(size):
            yield x[rows], y[rows]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    x, y = ferment(6000, args.seed)
    cut = 2000
    model = make_model(x.shape[1], 128)
    average = Average(model, 0.98)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    source = batches(x[:cut], y[:cut], 64, torch.Generator().manual_seed(args.seed))

    with tempfile.TemporaryDirectory(prefix="yoghurt-") as scratch:
        database = Path(scratch) / "scores.db"
        evaluator = Evaluator(x[cut:], y[cut:], database)
        evaluator.start()
        began = time.perf_counter()
        for step in range(1, args.steps + 1):
            bx, by = next(source)
            loss = nn.functional.smooth_l1_loss(model(bx), by)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update(model)
            if step % args.every == 0:
                evaluator.submit(step, model)
        evaluator.finish()
        log.info("%.0f steps/s", args.steps / (time.perf_counter() - began))
        base = sqlite3.connect(database)
        best = base.execute(
            "select step, ph, viscosity from score order by ph + viscosity, step limit 1").fetchone()
        base.close()

    final = make_model(x.shape[1], 128).eval()
    average.copy_to(final)
    with torch.no_grad():
        error = (final(x[cut:]) - y[cut:]).abs().mean().item()
    total = sum(v.double().sum().item() for v in average.values)
    print(f"best at step {best[0]}: pH {best[1]:.6f} viscosity {best[2]:.6f}")
    print(f"averaged weights: error {error:.8f} checksum {total:.10f}")


if __name__ == "__main__":
    main()
