"""Swarms of fireflies: simulate coupled flashers in a pool of processes, then infer the coupling with a GRU."""
import json
import multiprocessing as mp
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import torch
from torch import nn

FLIES = 24
STEPS = 120
SPECIES_PACE = (5.0, 5.4)


@dataclass(frozen=True)
class Plan:
    seed: int = 17
    swarms: int = 320
    workers: int = 2
    epochs: int = 8
    batch: int = 32
    lr: float = 4e-3
    strongest: float = 2.5


class Simulator:
    """Lives once in every process of the pool."""

    current = None

    def __init__(self, seed):
        self.seed = seed

    @classmethod
    def start(cls, seed):
        cls.current = cls(seed)

    def flashes(self, number, coupling):
        """Kuramoto phases with noise; the share of flies that flash in every tenth of a second."""
        rng = np.random.default_rng([self.seed, number])
        phase = rng.uniform(0, 2 * np.pi, FLIES)
        pace = rng.normal(SPECIES_PACE[number % 2], 0.6, FLIES)
        shares = np.zeros(STEPS, dtype=np.float32)
        for step in range(STEPS):
            pull = np.sin(phase[None, :] - phase[:, None]).mean(axis=1)
            phase = phase + 0.1 * (pace + coupling * pull) + 0.1 * rng.normal(0, 1, FLIES)
            shares[step] = np.mean(phase > 2 * np.pi)
            phase = phase % (2 * np.pi)
        return shares


def simulate(job):
    return Simulator.current.flashes(*job)


def all_swarms(plan):
    couplings = np.random.default_rng(plan.seed).uniform(0, plan.strongest, plan.swarms)
    context = mp.get_context("fork")
    with context.Pool(plan.workers, initializer=Simulator.start, initargs=(plan.seed,)) as pool:
        shares = pool.map(simulate, enumerate(couplings), chunksize=2)
    return torch.from_numpy(np.stack(shares)).unsqueeze(2), torch.tensor(couplings, dtype=torch.float32)


class CouplingNet(nn.Module):
    def __init__(self, hidden=20):
        super().__init__()
        self.pool = nn.AvgPool1d(2)
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Linear(2 * hidden, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x):
        x = self.pool(x.transpose(1, 2)).transpose(1, 2)
        states, last = self.gru(x * 5)
        return self.out(torch.cat([states.std(1), last[0]], dim=1)).squeeze(1)


def train(model, x, y, plan):
    optimizer = torch.optim.Adam(model.parameters(), lr=plan.lr)
    for epoch in range(plan.epochs):
        total = 0.0
        for rows in torch.randperm(len(x)).split(plan.batch):
            loss = nn.functional.mse_loss(model(x[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch}: {total / len(x):.6f}")


def main():
    plan = Plan()
    shares, couplings = all_swarms(plan)
    print(f"{len(shares)} swarms, {shares.mean().item():.6f} flashes per fly and step")

    torch.manual_seed(plan.seed)
    torch.set_num_threads(1)
    cut = int(0.8 * len(shares))
    model = CouplingNet()
    train(model, shares[:cut], couplings[:cut], plan)

    model.eval()
    with torch.no_grad():
        guess = model(shares[cut:])
    table = pd.DataFrame({"coupling": couplings[cut:].numpy(), "guess": guess.numpy()})
    error = (table["guess"] - table["coupling"]).abs()
    print(f"held-out swarms: mean error {error.mean():.6f}, correlation {table.corr().iloc[0, 1]:.6f}")
    table.to_csv("couplings.csv", index=False)
    with open("plan.json", "w") as handle:
        json.dump({**asdict(plan), "error": float(error.mean())}, handle)
    torch.save(model.state_dict(), "coupling.pt")


if __name__ == "__main__":
    main()
