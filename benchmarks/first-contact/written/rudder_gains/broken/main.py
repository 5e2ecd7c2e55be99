"""Successive halving over the settings of a network that schedules the gains of a ship's rudder."""
import argparse
import itertools
import json
import time
import zlib

import numpy as np
import torch
import torch.nn.functional as F

from trials import Trial, keep_best

GRID = {"lr": (0.03, 0.02, 0.012), "hidden": (8, 12, 16), "decay": (0.0, 0.003), "momentum": (0.8, 0.9)}


def voyages(count: int, seed: int):
    """Sea states, and which of four sets of gains kept the heading best in each."""
    rng = np.random.default_rng(seed)
    state = rng.normal(size=(count, 6))            # speed, wave height, period, wind, current, load
    cost = np.stack([(state[:, 0] - 0.6) ** 2 + state[:, 1],
                     (state[:, 2] + 0.4) ** 2 - 0.5 * state[:, 3],
                     0.8 + state[:, 4] * state[:, 0],
                     1.1 - 0.7 * state[:, 5]], 1)
    gains = (cost + rng.normal(0, 0.2, cost.shape)).argmin(1)
    return torch.tensor(state, dtype=torch.float32), torch.tensor(gains)


def build(hidden: int) -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(6, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 4))


def advance(trial: Trial, data, epochs: int, order: torch.Generator, batch: int = 32) -> None:
    x, y = data
    started = time.perf_counter()
    for _ in range(epochs):
        for rows in torch.randperm(len(x), generator=order).split(batch):
            loss = F.cross_entropy(trial.model(x[rows]), y[rows])
            trial.optimizer.zero_grad()
            loss.backward()
            trial.optimizer.step()
    trial.seconds += time.perf_counter() - started


@torch.no_grad()
def judge(trial: Trial, data) -> None:
    x, y = data
    trial.error = (trial.model(x).argmax(1) != y).float().mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--rungs", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    train, valid, test = voyages(320, args.seed), voyages(30, args.seed + 1), voyages(400, args.seed + 2)
    order = torch.Generator().manual_seed(args.seed)
    trials = []
    for number, values in enumerate(itertools.product(*GRID.values())):
        config = dict(zip(GRID, values))
        model = build(config["hidden"])
        optimizer = torch.optim.SGD(model.parameters(), lr=config["lr"], momentum=config["momentum"],
                                    weight_decay=config["decay"])
        trials.append(Trial(1.0, 0.0, number, config, model, optimizer))

    epochs = 3
    for rung in range(args.rungs):
        for trial in trials:
            advance(trial, train, epochs, order)
            judge(trial, valid)
        spent = sum(trial.seconds for trial in trials)
        trials = keep_best(trials, len(trials) // 2)
        print(f"rung {rung}: {len(trials):2d} left, best error {trials[0].error:.3f} "
              f"from trial {trials[0].number} ({spent:.2f} s of training)")
        epochs *= 2

    with torch.no_grad():                             # those that are left vote together
        chance = torch.stack([trial.model(test[0]).softmax(1) for trial in trials]).mean(0)
        loss = F.nll_loss(chance.log(), test[1]).item()
    weights = b"".join(value.numpy().tobytes() for trial in trials for value in trial.model.state_dict().values())
    for trial in trials:
        print(json.dumps(trial.config))
    print(f"test loss {loss:.8f}  weights {zlib.crc32(weights):08x}")


if __name__ == "__main__":
    main()
