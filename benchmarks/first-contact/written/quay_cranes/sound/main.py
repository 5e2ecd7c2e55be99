"""Successive halving over models that predict the sway of a container under a quay crane."""

import argparse
import csv
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from nets import build
from settings import grid


def lifts(count, seed):
    rng = np.random.default_rng(seed)
    rope = rng.uniform(8, 32, count)
    load = rng.uniform(4, 40, count)
    trolley = rng.uniform(-3, 3, count)
    wind = rng.weibull(2.0, count) * 7
    gust = rng.normal(0, 1, (count, 4)) * wind[:, None] / 5
    omega = np.sqrt(9.81 / rope)
    sway = trolley / omega * np.sin(omega * 3) + wind**2 / (load + 8) * 0.3 + gust.mean(1) * 0.5
    sway += rng.normal(0, 0.1, count)
    x = np.column_stack([rope, load, trolley, wind, gust]).astype(np.float32)
    x = (x - x.mean(0)) / x.std(0)
    y = ((sway - sway.mean()) / sway.std()).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(y)


class Candidate:
    """One trial that can be trained a few epochs at a time."""

    def __init__(self, trial, train):
        self.trial = trial
        torch.manual_seed(trial.stream("weights"))
        self.model = build(trial.arch, train.tensors[0].shape[1], trial.width)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=trial.lr, weight_decay=trial.weight_decay)
        order = torch.Generator().manual_seed(trial.stream("order"))
        self.loader = DataLoader(train, batch_size=64, shuffle=True, generator=order)
        self.epochs = 0

    def advance(self, epochs):
        for _ in range(epochs):
            torch.manual_seed(self.trial.stream(f"dropout-{self.epochs}"))
            self.model.train()
            for x, y in self.loader:
                loss = torch.nn.functional.smooth_l1_loss(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.epochs += 1

    @torch.no_grad()
    def score(self, x, y):
        self.model.eval()
        return torch.nn.functional.mse_loss(self.model(x), y).item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lifts", type=int, default=1600)
    parser.add_argument("--seed", type=int, default=20417)
    args = parser.parse_args()
    torch.set_num_threads(1)

    x, y = lifts(args.lifts, args.seed)
    cut = args.lifts * 3 // 4
    train = TensorDataset(x[:cut], y[:cut])
    alive = [Candidate(t, train) for t in grid(root=args.seed)]

    with tempfile.TemporaryDirectory(prefix="quay-") as scratch:
        log = Path(scratch) / "rungs.csv"
        began = time.perf_counter()
        with log.open("w", newline="") as handle:
            writer = csv.writer(handle)
            for rung, epochs in enumerate((1, 2, 4)):
                ranked = []
                for candidate in alive:
                    candidate.advance(epochs)
                    score = candidate.score(x[cut:], y[cut:])
                    writer.writerow([rung, candidate.trial.label, f"{score:.6f}"])
                    ranked.append((score, candidate))
                ranked.sort(key=lambda pair: (pair[0], pair[1].trial.label))
                alive = [c for _, c in ranked[: max(1, len(ranked) // 2)]]
        rows = len(log.read_text().splitlines())
        print(f"{rows} evaluations in {time.perf_counter() - began:.2f} s")

    best = alive[0]
    weights = torch.nn.utils.parameters_to_vector(best.model.parameters())
    print(f"winner {best.trial.label} after {best.epochs} epochs")
    print(f"mse {best.score(x[cut:], y[cut:]):.8f} weights {weights.double().sum().item():.10f}")


if __name__ == "__main__":
    main()
