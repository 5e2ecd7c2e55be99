"""Learn a surrogate of the foraging model from a design of simulated colonies."""

import csv
import json
import multiprocessing as mp
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import torch

import colony
from surrogate import Surrogate, fit

HERE = Path(__file__).resolve().parent
N_COLONIES = 220
N_WORKERS = 3
LOW = np.array([12, 0.004, 0.2, 0.5])
HIGH = np.array([48, 0.030, 1.5, 0.98])
OUTPUTS = ["harvest_per_bee", "visit_entropy", "nectar_left", "flowers_found"]


def design(n, seed=3):
    """A Latin hypercube over the parameters of the colony."""
    rng = np.random.default_rng(seed)
    columns = [(rng.permutation(n) + rng.random(n)) / n for _ in LOW]
    return LOW + np.stack(columns, axis=1) * (HIGH - LOW)


def run_colonies(params):
    context = mp.get_context("fork")
    counter = context.Value("i", 0)
    with context.Pool(N_WORKERS, initializer=colony.start_worker, initargs=(counter,)) as pool:
        seasons = pool.map(colony.simulate, list(enumerate(params)), chunksize=4)
    return np.stack(seasons)


def main():
    torch.manual_seed(20)
    torch.set_num_threads(1)
    print(f"started {datetime.now():%Y-%m-%d %H:%M:%S}")

    params = design(N_COLONIES)
    began = time.perf_counter()
    seasons = run_colonies(params)
    print(f"{len(seasons)} colonies in {time.perf_counter() - began:.2f} s")

    inputs = torch.tensor((params - LOW) / (HIGH - LOW) * 2 - 1, dtype=torch.float32)
    mean, std = seasons.mean(axis=0), seasons.std(axis=0)
    targets = torch.tensor((seasons - mean) / std, dtype=torch.float32)
    train, test = slice(0, 180), slice(180, None)

    model = Surrogate(inputs.shape[1], targets.shape[1])
    losses = fit(model, inputs[train], targets[train])
    with torch.no_grad():
        error = (model(inputs[test]) - targets[test]).square().mean(dim=0)

    torch.save({"model": model.state_dict(), "mean": torch.tensor(mean), "std": torch.tensor(std)},
               HERE / "surrogate.pt")
    with open(HERE / "losses.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["epoch", "loss"])
        writer.writerows((epoch, f"{loss:.8f}") for epoch, loss in enumerate(losses))
    scores = {name: round(1 - value.item(), 6) for name, value in zip(OUTPUTS, error)}
    (HERE / "r2.json").write_text(json.dumps(scores, indent=2))
    for name, score in scores.items():
        print(f"{name:16s} R2 {score:.3f}")


if __name__ == "__main__":
    main()
