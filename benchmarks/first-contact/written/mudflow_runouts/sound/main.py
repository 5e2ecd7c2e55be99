"""Surrogate for mudflow runout distance.

A cheap 1-D block model is run for a few hundred catchments (two processes),
then an ensemble of small networks learns runout and deposit depth from the
catchment's description.
"""
import json
import math
import multiprocessing as mp
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

SEED = 1963
EVENTS = 180
WORKERS = 2
MEMBERS = 3


@dataclass
class Event:
    number: int
    volume: float
    slope: float
    roughness: float
    water: float

    def features(self):
        return [np.log(self.volume), self.slope, self.roughness, self.water]


def sample_events(n, rng):
    return [
        Event(
            number=i,
            volume=float(rng.lognormal(9.0, 0.8)),
            slope=float(rng.uniform(0.12, 0.45)),
            roughness=float(rng.uniform(0.02, 0.12)),
            water=float(rng.uniform(0.25, 0.6)),
        )
        for i in range(n)
    ]


_seed = None


def start_worker(seed):
    global _seed
    _seed = seed


def simulate(event):
    """Release the flow a number of times over a randomly rough bed."""
    rng = np.random.default_rng([_seed, event.number])
    runouts, depths = [], []
    for _ in range(6):
        bed = (event.roughness * rng.gamma(2.0, 0.5, 400)).tolist()
        x, v, depth, t = 0.0, 1.0, (event.volume / 40.0) ** (1 / 3), 0.0
        while v > 0.02 and x < 3990.0 and t < 600.0:
            cell = int(x / 10.0)
            grade = event.slope * math.exp(-x / 700.0) - 0.02
            friction = bed[cell] * (1.4 - event.water) + 0.004 * v * v / depth
            v = max(0.0, v + 0.25 * 9.81 * (grade - friction))
            x += 0.25 * v
            depth *= 1.0 - 0.0004 * v
            t += 0.25
        runouts.append(x)
        depths.append(depth)
    return float(np.mean(runouts)), float(np.std(runouts)), float(np.mean(depths))


def run_events(events):
    with mp.get_context("fork").Pool(WORKERS, start_worker, (SEED,)) as pool:
        return pool.map(simulate, events, chunksize=2)


class Surrogate(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_in, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, n_out)
        )

    def forward(self, x):
        return self.net(x)


def fit_member(x, y, seed):
    torch.manual_seed(seed)
    model = Surrogate(x.shape[1], y.shape[1])
    opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-4)
    for _ in range(120):
        pick = torch.randint(len(x), (64,))
        loss = nn.functional.smooth_l1_loss(model(x[pick]), y[pick])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


def main():
    rng = np.random.default_rng(SEED)
    events = sample_events(EVENTS, rng)
    outcomes = run_events(events)

    x = torch.tensor([e.features() for e in events], dtype=torch.float32)
    y = torch.tensor(outcomes, dtype=torch.float32)
    y = torch.stack([y[:, 0].log(), (1 + y[:, 1]).log(), y[:, 2]], dim=1)
    print("mean runout %.3f m, spread %.3f m" % (
        np.mean([o[0] for o in outcomes]), np.mean([o[1] for o in outcomes])))

    split = int(0.8 * len(x))
    mean, std = x[:split].mean(0), x[:split].std(0)
    x = (x - mean) / std
    y_mean, y_std = y[:split].mean(0), y[:split].std(0)
    z = (y - y_mean) / y_std

    members = [fit_member(x[:split], z[:split], seed) for seed in range(MEMBERS)]
    with torch.no_grad():
        stack = torch.stack([m(x[split:]) for m in members])
    residual = stack.mean(0) - z[split:]
    r2 = 1 - residual.square().sum(0) / (z[split:] - z[split:].mean(0)).square().sum(0)
    for name, value in zip(["runout", "spread", "depth"], r2.tolist()):
        print(f"{name:<7} r2 {value:.6f}")
    print(f"ensemble disagreement {stack.std(0).mean().item():.6f}")

    torch.save([m.state_dict() for m in members], "surrogate.pt")
    with open("runouts.json", "w") as f:
        json.dump([{"event": e.number, "runout": o[0], "depth": o[2]}
                   for e, o in zip(events, outcomes)], f)


if __name__ == "__main__":
    main()
