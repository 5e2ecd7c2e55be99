"""An emulator of seed dispersal: a network learns what the particle model says."""

import argparse
import collections
import multiprocessing
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import plume


def run_cases(cases, seed, particles, processes):
    """All the cases, spread over processes, and returned by their numbers."""
    context = multiprocessing.get_context("fork")
    shares = collections.Counter()
    table = {}
    with context.Pool(processes, plume.start_worker, (seed, particles)) as pool:
        for number, outcome, worker in pool.imap_unordered(plume.simulate, cases):
            table[number] = outcome
            shares[worker] += 1
    print("workers:", len(shares), "cases:", sum(shares.values()))
    return np.stack([table[case.number] for case in cases])


class Emulator(nn.Module):
    def __init__(self, inputs, outputs, width=64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, outputs)
        )

    def forward(self, x):
        return self.body(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=160)
    parser.add_argument("--particles", type=int, default=1500)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--steps", type=int, default=350)
    parser.add_argument("--seed", type=int, default=77)
    args = parser.parse_args()

    cases = list(plume.sample_cases(args.cases, args.seed))
    begun = time.perf_counter()
    outcomes = run_cases(cases, args.seed, args.particles, args.processes)
    print(f"simulated in {time.perf_counter() - begun:.2f} s")

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    x = torch.tensor([case[1:] for case in cases])
    y = torch.from_numpy(outcomes)
    x = (x - x.mean(0)) / x.std(0)
    y = (y - y.mean(0)) / (y.std(0) + 1e-6)
    order = torch.randperm(len(x))
    test, train = order[:30], order[30:]

    model = Emulator(x.shape[1], y.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    best = (float("inf"), None)
    with tempfile.TemporaryDirectory() as folder:
        saved = Path(folder) / "best.pkl"
        for step in range(args.steps):
            pick = train[torch.randint(len(train), (32,))]
            loss = nn.functional.mse_loss(model(x[pick]), y[pick])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 50 == 49:
                with torch.no_grad():
                    score = nn.functional.mse_loss(model(x[test]), y[test]).item()
                if score < best[0]:
                    best = (score, step)
                    saved.write_bytes(pickle.dumps(model.state_dict()))
        model.load_state_dict(pickle.loads(saved.read_bytes()))
    print(f"best at step {best[1]}: {best[0]:.8f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.12f}")


if __name__ == "__main__":
    main()
