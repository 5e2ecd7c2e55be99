"""A surrogate for the time it takes to empty a stadium, learned from simulated evacuations."""
import argparse
import json
import multiprocessing as mp
import tempfile
import time
from dataclasses import astuple
from pathlib import Path

import numpy as np
import torch
from torch import nn

from crowd import Scenario, evacuate, start_worker


def stadium() -> dict:
    turn = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    order = [0, 4, 2, 6, 1, 5, 3, 7]
    gates = 90 * np.stack([np.cos(turn), np.sin(turn)], 1)[order]
    ring, around = np.meshgrid(np.linspace(50, 85, 12), np.linspace(0, 2 * np.pi, 150))
    seats = np.stack([(ring * np.cos(around)).ravel(), (ring * np.sin(around)).ravel()], 1)
    return {"gates": gates.tolist(), "seats": seats.tolist()}


def scenarios(n: int, rng: np.random.Generator) -> list[Scenario]:
    return [Scenario(i, int(rng.integers(200, 1500)), int(rng.integers(2, 9)),
                     float(rng.uniform(0, 1)), float(rng.uniform(0, 1))) for i in range(n)]


def simulate(todo: list[Scenario], plan: dict, seed: int, workers: int) -> list[float]:
    context = mp.get_context("fork")
    with context.Pool(workers, initializer=start_worker, initargs=(plan, seed)) as pool:
        return pool.map(evacuate, todo, chunksize=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenarios", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    todo = scenarios(args.scenarios, np.random.default_rng(args.seed))
    began = time.perf_counter()
    seconds = simulate(todo, stadium(), args.seed, args.workers)
    print(f"{len(todo)} evacuations in {time.perf_counter() - began:.2f} s, "
          f"mean {np.mean(seconds):.4f}, longest {max(seconds):.4f}")

    table = np.array([astuple(s)[1:] for s in todo])
    table = (table - table.mean(0)) / table.std(0)
    target = np.log(seconds)
    target = (target - target.mean()) / target.std()
    x = torch.tensor(table, dtype=torch.float32)
    y = torch.tensor(target, dtype=torch.float32)[:, None]
    cut = len(x) * 4 // 5

    model = nn.Sequential(nn.Linear(4, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(args.steps):
        pick = torch.randint(cut, (32,))
        loss = nn.functional.mse_loss(model(x[pick]), y[pick])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        held = nn.functional.mse_loss(model(x[cut:]), y[cut:]).item()

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        report.write_text(json.dumps({
            "train": loss.item(), "held": held,
            "weights": sum(p.double().sum().item() for p in model.parameters())}))
        print(report.read_text())


if __name__ == "__main__":
    main()
