"""Neural estimation of grouse population parameters from counts on moors.

Draw parameters from the prior, simulate counts in a pool of processes, and train a mixture density network that gives
the posterior of (growth, crowding, parasite load, survey error) for the counts of a moor.
"""
import argparse
import json
import multiprocessing as mp

import numpy as np
import torch
from scipy import stats
from torch import nn

YEARS = 40
NAMES = ("growth", "crowding", "parasites", "survey")
LOW = np.array([0.3, 0.2, 0.0, 0.02])
HIGH = np.array([1.6, 1.5, 1.2, 0.40])

_process = {}


def start_process(seed, winters, numbers):
    _process["rng"] = np.random.default_rng([seed, numbers.get()])
    _process["winters"] = winters


def simulate(job):
    """Yearly spring counts of one moor: Ricker growth, delayed parasite mortality, log-normal survey error."""
    index, theta = job
    growth, crowding, parasites, survey = theta
    rng = _process["rng"]
    birds, worms = np.exp(rng.normal(0.0, 0.3)), 0.2
    counts = np.empty(YEARS)
    for year in range(YEARS):
        weather = _process["winters"][year] + rng.normal(0.0, 0.1)
        births = birds * np.exp(growth - crowding * birds - parasites * worms + weather)
        worms = 0.6 * worms + 0.4 * birds + 0.05 * rng.random()
        alive = rng.poisson(200 * min(births, 20.0))
        birds = max(alive, 2) / 200
        counts[year] = np.log1p(rng.poisson(alive * np.exp(rng.normal(0.0, survey))))
    return index, counts


def summaries(counts):
    """Moments, autocorrelations and the strongest cycle of each series."""
    z = counts - counts.mean(axis=1, keepdims=True)
    var = (z * z).mean(axis=1)
    lags = [(z[:, k:] * z[:, :-k]).mean(axis=1) / (var + 1e-6) for k in (1, 2, 3, 4, 6, 8)]
    power = np.abs(np.fft.rfft(z, axis=1)) ** 2
    peak = power[:, 1:].argmax(axis=1) / YEARS
    skew = stats.skew(counts, axis=1, nan_policy="raise")
    steps = np.diff(counts, axis=1)
    features = [counts.mean(axis=1), np.log(var + 1e-4), skew, peak, steps.std(axis=1), counts.min(axis=1), counts.max(axis=1)]
    return np.nan_to_num(np.column_stack(features + lags))


def run_simulations(thetas, seed, processes):
    winters = 0.15 * np.sin(np.arange(YEARS) * 0.9)
    records = [None] * len(thetas)
    context = mp.get_context("fork")
    numbers = context.SimpleQueue()
    for number in range(processes):
        numbers.put(number)
    with context.Pool(processes, start_process, (seed, winters, numbers)) as pool:
        for index, counts in pool.imap_unordered(simulate, enumerate(thetas), chunksize=10):
            records[index] = counts
    return np.stack(records)


class MixtureDensity(nn.Module):
    def __init__(self, features, targets, parts=4, width=64):
        super().__init__()
        self.parts, self.targets = parts, targets
        self.body = nn.Sequential(nn.Linear(features, width), nn.ELU(), nn.Linear(width, width), nn.ELU())
        self.head = nn.Linear(width, parts * (2 * targets + 1))

    def forward(self, x):
        out = self.head(self.body(x))
        weight, mean, scale = out.split([self.parts, self.parts * self.targets, self.parts * self.targets], dim=1)
        shape = (-1, self.parts, self.targets)
        return torch.distributions.MixtureSameFamily(
            torch.distributions.Categorical(logits=weight),
            torch.distributions.Independent(
                torch.distributions.Normal(mean.reshape(shape), scale.reshape(shape).clamp(-5, 2).exp()), 1
            ),
        )


def fit(model, x, y, epochs, batch, lr):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(x)).split(batch):
            optimizer.zero_grad()
            loss = -model(x[rows]).log_prob(y[rows]).mean()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            total += loss.item() * len(rows)
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:3d}  negative log likelihood {total / len(x):.6f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--simulations", type=int, default=3000)
    parser.add_argument("-p", "--processes", type=int, default=2)
    parser.add_argument("--held-out", type=int, default=400)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=23)
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    unit = rng.random((args.simulations, len(NAMES)))
    counts = run_simulations(LOW + unit * (HIGH - LOW), args.seed, args.processes)
    features = summaries(counts)

    train = slice(0, args.simulations - args.held_out)
    test = slice(args.simulations - args.held_out, None)
    mean, std = features[train].mean(axis=0), features[train].std(axis=0) + 1e-6
    x = torch.tensor((features - mean) / std, dtype=torch.float32)
    y = torch.tensor(unit * 2 - 1, dtype=torch.float32)

    torch.manual_seed(args.seed)
    model = MixtureDensity(x.shape[1], y.shape[1])
    fit(model, x[train], y[train], args.epochs, batch=64, lr=2e-3)

    with torch.no_grad():
        posterior = model(x[test])
        report = {"log_prob": posterior.log_prob(y[test]).mean().item()}
        error = (posterior.mean - y[test]).abs().mean(dim=0) / 2
        for name, width, e in zip(NAMES, HIGH - LOW, error.tolist()):
            report[name] = e * float(width)
    for name, value in report.items():
        print(f"{name:>10} {value:.6f}")
    with open("posterior.json", "w") as f:
        json.dump(report, f, indent=1)
    torch.save({"model": model.state_dict(), "mean": mean, "std": std}, "posterior.pt")


if __name__ == "__main__":
    main()
