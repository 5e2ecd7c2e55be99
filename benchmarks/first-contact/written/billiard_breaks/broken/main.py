"""Learn what makes a good break shot: simulate many breaks, fit a network, ask it for the best."""
import argparse
import csv
import multiprocessing as mp
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

import table

worker = SimpleNamespace()


class Shot(NamedTuple):
    number: int
    speed: float
    angle: float
    offset: float
    friction: float


def get_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shots", type=int, default=320)
    parser.add_argument("--steps", type=int, default=350, help="time steps of each simulated break")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=120)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--out", default="breaks")
    return parser.parse_args()


def design(n, seed):
    """A Latin hypercube over the four things that a player chooses or finds."""
    rng = np.random.default_rng(seed)
    unit = np.stack([(rng.permutation(n) + rng.random(n)) / n for _ in range(4)], axis=1)
    low = np.array([4.0, -0.06, -0.15, 0.15])
    high = np.array([10.0, 0.06, 0.15, 0.45])
    return [Shot(k, *row) for k, row in enumerate((low + unit * (high - low)).tolist())]


def start_worker(seed, counter, steps):
    with counter.get_lock():
        rank = counter.value
        counter.value += 1
    worker.rank = rank
    worker.rng = np.random.default_rng([seed, rank])
    worker.steps = steps
    worker.rack = table.rack()


def play(shot):
    rng = worker.rng
    balls = worker.rack + rng.normal(0.0, 4e-4, worker.rack.shape)
    balls[0, 0] += shot.offset
    aim = balls[1] - balls[0]
    heading = np.arctan2(aim[1], aim[0]) + shot.angle + rng.normal(0.0, 0.004)
    velocity = np.zeros_like(balls)
    velocity[0] = shot.speed * np.array([np.cos(heading), np.sin(heading)])
    final, pocketed = table.roll(balls, velocity, shot.friction, worker.steps)
    spread = final[1:].std(axis=0).mean()
    return shot, int(pocketed[1:].sum()), bool(pocketed[0]), float(spread)


def simulate(shots, args):
    counter = mp.Value("i", 0)
    context = mp.get_context("fork")
    with context.Pool(args.workers, start_worker, (args.seed, counter, args.steps)) as pool:
        return list(pool.imap(play, shots))


class Surrogate(nn.Module):
    """Predicts the expected number of potted balls, the chance of a scratch and the spread."""

    def __init__(self, low, high):
        super().__init__()
        self.register_buffer("low", low)
        self.register_buffer("high", high)
        self.body = nn.Sequential(nn.Linear(4, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU())
        self.head = nn.Linear(48, 3)

    def forward(self, shots):
        x = 2 * (shots - self.low) / (self.high - self.low) - 1
        potted, scratch, spread = self.head(self.body(x)).unbind(-1)
        return potted, scratch, spread

    def loss(self, shots, outcome):
        potted, scratch, spread = self(shots)
        return (
            nn.functional.poisson_nll_loss(potted, outcome[:, 0])
            + nn.functional.binary_cross_entropy_with_logits(scratch, outcome[:, 1])
            + 4.0 * nn.functional.mse_loss(spread, outcome[:, 2])
        )


def fit(model, shots, outcome, epochs):
    held = len(shots) // 5
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(shots[held:], outcome[held:]), batch_size=32, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    for epoch in range(1, epochs + 1):
        for batch in loader:
            optimizer.zero_grad()
            loss = model.loss(*batch)
            loss.backward()
            optimizer.step()
        if epoch % 30 == 0:
            with torch.no_grad():
                print(f"epoch {epoch}: held-out loss {model.loss(shots[:held], outcome[:held]):.5f}")


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    results = simulate(design(args.shots, args.seed), args)
    with open(f"{args.out}.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*Shot._fields, "potted", "scratch", "spread"])
        writer.writerows([*shot, potted, int(scratch), spread] for shot, potted, scratch, spread in results)
    shots = torch.tensor([shot[1:] for shot, *_ in results])
    outcome = torch.tensor([[float(v) for v in rest] for _, *rest in results])
    print(f"{len(results)} breaks: {outcome[:, 0].mean():.3f} potted, {outcome[:, 1].mean():.3f} scratched, "
          f"spread {outcome[:, 2].mean():.4f} m")

    model = Surrogate(shots.amin(0), shots.amax(0))
    fit(model, shots, outcome, args.epochs)
    torch.save(model.state_dict(), f"{args.out}.pt")

    with torch.no_grad():
        potted, scratch, spread = model(shots)
        value = potted.exp() - 2 * scratch.sigmoid() + spread
    for k in value.argsort(descending=True)[:5].tolist():
        shot = results[k][0]
        print(f"break {shot.number:3d}: {shot.speed:5.2f} m/s, angle {shot.angle:+.3f}, offset {shot.offset:+.3f}"
              f"  value {value[k]:.4f}")


if __name__ == "__main__":
    main()
