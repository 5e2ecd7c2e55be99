"""Regression with a curriculum that picks the samples with the largest loss."""
import random
import time

import numpy as np
import torch
from torch import nn

from curriculum import Curriculum, Sample


def make_samples(count, seed):
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(count):
        x = rng.uniform(-2, 2, 5).astype(np.float32)
        y = np.float32(np.sin(x[0] * x[1]) + 0.5 * x[2] ** 2 - x[3] * (x[4] > 0))
        out.append(Sample(torch.from_numpy(x), torch.tensor(y)))
    return out


def main(seed=271, steps=200, batch=32):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    samples = make_samples(1500, seed)
    curriculum = Curriculum(samples)
    model = nn.Sequential(nn.Linear(5, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    started = time.time()
    for step in range(steps):
        picked = curriculum.take(batch)
        x = torch.stack([s.features for s in picked])
        y = torch.stack([s.target for s in picked])
        losses = (model(x).squeeze(1) - y).square()
        optimizer.zero_grad()
        losses.mean().backward()
        optimizer.step()
        curriculum.give_back(picked, losses.tolist())
    print(f"{steps / (time.time() - started):.0f} steps/s")
    with torch.no_grad():
        x = torch.stack([s.features for s in samples])
        y = torch.stack([s.target for s in samples])
        loss = (model(x).squeeze(1) - y).square().mean().item()
    torch.save(model.state_dict(), "curriculum.pt")
    print(f"final loss {loss!r}, at most {max(s.visits for s in samples)} visits")


if __name__ == "__main__":
    main()
