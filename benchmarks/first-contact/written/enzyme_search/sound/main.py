"""Hyper-parameter search for enzyme melting temperatures.

Random search with k-fold cross-validation in a pool of processes, followed by
a final fit of the best choices; composition features of made-up sequences.
"""

import csv
import logging
import multiprocessing
import random
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

import trial

SEED = 2718
ENZYMES = 320
TRIALS = 24
FOLDS = 2
WORKERS = 2
EPOCHS = 5
FINALISTS = 3
RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
OUT = Path("search")

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("search")


def enzymes(count, seed):
    """Amino-acid and di-peptide composition, and a melting temperature."""
    rng = np.random.default_rng(seed)
    effect = rng.normal(0, 6, len(RESIDUES))
    features, temperatures = [], []
    for _ in range(count):
        share = rng.dirichlet(np.full(len(RESIDUES), 3.0))
        chain = rng.choice(len(RESIDUES), int(rng.integers(90, 260)), p=share)
        single = np.bincount(chain, minlength=20) / len(chain)
        double = np.bincount(chain[:-1] // 5 * 4 + chain[1:] // 5, minlength=16) / (len(chain) - 1)
        features.append(np.concatenate([single, double, [np.log(len(chain))]]))
        temperatures.append(55 + 8 * (single @ effect) + 30 * double[5] + rng.normal(0, 0.5))
    return np.array(features), np.array(temperatures)


def choices(count, seed):
    """Random points of the search space."""
    rng = random.Random(seed)
    seen, result = set(), []
    while len(result) < count:
        choice = {
            "width": rng.choice([16, 32, 48, 64]),
            "depth": rng.choice([1, 2, 3]),
            "dropout": rng.choice([0.0, 0.1, 0.2]),
            "lr": round(10 ** rng.uniform(-3, -1.7), 5),
            "decay": rng.choice([0.0, 1e-3, 1e-2]),
        }
        key = tuple(choice.values())
        if key not in seen:
            seen.add(key)
            result.append(choice)
    return result


def search(space, x, y):
    folds = [held for _, held in KFold(FOLDS, shuffle=True, random_state=SEED).split(x)]
    tasks = [(number, choice, folds, EPOCHS, SEED) for number, choice in enumerate(space)]
    context = multiprocessing.get_context("spawn")
    counter = context.Value("i", 0)
    with context.Pool(WORKERS, trial.start_worker, (x, y, SEED, counter)) as pool:
        results = []
        for result in pool.imap_unordered(trial.run_trial, tasks):
            results.append(result)
            log.info("trial %2d on worker %d: error %.3f in %.2f s", result["trial"], result["worker"],
                     result["error"], result["seconds"])
    return sorted(results, key=lambda result: (result["error"], result["trial"]))


def write_table(ranked, space):
    with open(OUT / "trials.csv", "w", newline="") as sink:
        writer = csv.writer(sink)
        writer.writerow(["trial", "error", "worker", "seconds", *space[0]])
        for result in ranked:
            writer.writerow([result["trial"], f"{result['error']:.5f}", result["worker"],
                             f"{result['seconds']:.2f}", *space[result["trial"]].values()])


def main():
    OUT.mkdir(exist_ok=True)
    features, temperatures = enzymes(ENZYMES, SEED)
    x = torch.tensor(StandardScaler().fit_transform(features), dtype=torch.float32)
    y = torch.tensor((temperatures - temperatures.mean()) / temperatures.std(), dtype=torch.float32)
    space = choices(TRIALS, SEED)
    began = time.time()
    ranked = search(space, x, y)
    write_table(ranked, space)
    log.info("%d trials in %.1f s; best %s", len(ranked), time.time() - began, space[ranked[0]["trial"]])

    torch.manual_seed(SEED)
    final = {}
    for place, result in enumerate(ranked[:FINALISTS]):
        choice = space[result["trial"]]
        model = trial.network(x.shape[1], choice)
        model.load_state_dict({name: torch.from_numpy(value) for name, value in result["state"].items()})
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
        for rows in torch.randperm(len(x)).split(32):
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
            optimizer.step()
        final[f"place{place}"] = model.state_dict()
    torch.save(final, OUT / "finalists.pt")


if __name__ == "__main__":
    main()
