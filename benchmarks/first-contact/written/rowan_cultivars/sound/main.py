"""Successive halving over small networks that predict the berry yield of rowan cultivars."""
import argparse
import json
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn

import space

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}


@dataclass
class Trial:
    number: int
    settings: dict
    model: nn.Module
    optimizer: torch.optim.Optimizer
    batches: torch.Generator
    steps: int = 0
    history: list = field(default_factory=list)


def make_orchard(seed, plots=900):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "rain": rng.gamma(5.0, 14.0, plots),
            "altitude": rng.uniform(50, 900, plots),
            "age": rng.integers(2, 30, plots),
            "ph": rng.normal(5.6, 0.5, plots),
            "nitrogen": rng.gamma(3.0, 1.2, plots),
            "cultivar": rng.choice(["edulis", "rossica", "beissneri", "granatnaja"], plots),
        }
    )
    effect = frame["cultivar"].map({"edulis": 1.4, "rossica": 0.9, "beissneri": 0.2, "granatnaja": 1.9})
    frame["kg"] = (
        effect * np.log1p(frame["age"])
        + 0.02 * frame["rain"]
        - (frame["altitude"] / 600 - 0.6) ** 2
        - 0.8 * (frame["ph"] - 5.5) ** 2
        + rng.normal(0, 0.25, plots)
    )
    return frame


def to_tensors(frame):
    features = pd.get_dummies(frame.drop(columns="kg"), columns=["cultivar"], dtype=float)
    features = (features - features.mean()) / features.std()
    target = (frame["kg"] - frame["kg"].mean()) / frame["kg"].std()
    x = torch.tensor(features.to_numpy(), dtype=torch.float32)
    y = torch.tensor(target.to_numpy(), dtype=torch.float32)[:, None]
    return x, y


def build(number, settings, inputs, seed):
    torch.manual_seed(seed + number)
    model = nn.Sequential(
        nn.Linear(inputs, settings["width"]),
        ACTIVATIONS[settings["activation"]](),
        nn.Dropout(settings["dropout"]),
        nn.Linear(settings["width"], 1),
    )
    if settings["optimizer"] == "adam":
        optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=2e-2, momentum=0.9)
    batches = torch.Generator().manual_seed(seed * 1000 + number)
    return Trial(number, settings, model, optimizer, batches)


def advance(trial, x, y, steps):
    trial.model.train()
    for _ in range(steps):
        rows = torch.randint(len(x), (32,), generator=trial.batches)
        loss = nn.functional.mse_loss(trial.model(x[rows]), y[rows])
        trial.optimizer.zero_grad()
        loss.backward()
        trial.optimizer.step()
    trial.steps += steps


@torch.no_grad()
def validate(trial, x, y):
    trial.model.eval()
    score = nn.functional.mse_loss(trial.model(x), y).item()
    trial.history.append(score)
    return score


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--rungs", type=int, nargs="+", default=[12, 30, 90])
    args = parser.parse_args()

    x, y = to_tensors(make_orchard(args.seed))
    train, valid = slice(0, 700), slice(700, None)
    trials = [build(n, s, x.shape[1], args.seed) for n, s in enumerate(space.expand(space.GRID))]
    print(f"{len(trials)} trials")

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "trials.jsonl"
        for rung, steps in enumerate(args.rungs):
            started = time.perf_counter()
            for trial in trials:
                advance(trial, x[train], y[train], steps)
                score = validate(trial, x[valid], y[valid])
                with log.open("a") as out:
                    out.write(json.dumps({"rung": rung, "name": space.label(trial.settings), "mse": score}) + "\n")
            trials = sorted(trials, key=lambda t: (t.history[-1], t.number))
            trials = trials[: max(1, len(trials) // 3)]
            print(f"rung {rung}: best {trials[0].history[-1]:.6f} ({time.perf_counter() - started:.2f} s)")
        board = pd.read_json(log, lines=True)

    final = board[board["rung"] == len(args.rungs) - 1].sort_values(["mse", "name"])
    print(final[["name", "mse"]].to_string(index=False))
    best = trials[0]
    checksum = sum(p.double().abs().sum().item() for p in best.model.parameters())
    print(f"winner {space.label(best.settings)} mse {best.history[-1]:.9f} weights {checksum:.9f}")


if __name__ == "__main__":
    main()
