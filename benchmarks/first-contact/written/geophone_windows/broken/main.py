"""Detect footsteps and vehicles on a geophone line."""
import argparse
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import nn
from torch.utils.data import DataLoader

from traces import Windows, record


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=160_000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=88)
    return parser.parse_args()


def detector():
    return nn.Sequential(
        nn.Unflatten(1, (1, -1)), nn.Conv1d(1, 12, 17, stride=4), nn.ReLU(),
        nn.Conv1d(12, 16, 9, stride=2), nn.ReLU(), nn.AdaptiveMaxPool1d(2), nn.Flatten(), nn.Linear(32, 1),
    )


def run(args, folder):
    windows = Windows(record(folder, args.length, args.seed))
    print(f"{windows.despike()} spikes removed, {len(windows)} windows")
    loader = DataLoader(
        windows, batch_size=32, shuffle=True, num_workers=args.workers, prefetch_factor=3,
        persistent_workers=True, drop_last=True, generator=torch.Generator().manual_seed(args.seed),
    )
    model = detector()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    scores, truth = [], []
    for epoch in range(args.epochs):
        started, losses = perf_counter(), []
        for window, label in loader:
            logit = model(window).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(logit, label)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if epoch == args.epochs - 1:
                scores.append(logit.detach())
                truth.append(label)
        rate = len(losses) * 32 / (perf_counter() - started)
        print(f"epoch {epoch}: {rate:.0f} windows/s", file=sys.stderr)
        print(f"epoch {epoch}: loss {np.mean(losses):.7f}")
    precision = average_precision_score(torch.cat(truth).numpy(), torch.cat(scores).numpy())
    norm = sum(p.detach().double().abs().sum().item() for p in model.parameters())
    print(f"average precision {precision:.6f}, weights {norm:.12f}")


if __name__ == "__main__":
    arguments = parse()
    torch.manual_seed(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="geophone-") as name:
        run(arguments, Path(name))
