"""Recognises the wood of a xylophone bar by its ring: a stacked ensemble of small networks."""
import argparse
import multiprocessing
import tempfile
import time

import numpy as np
import torch
from torch import nn

from members import load_all, train_member


def ring(rng, wood, samples=512):
    damping = (4.0, 5.0, 6.5, 8.0, 10.0)[wood] * rng.uniform(0.85, 1.15)
    stretch = (2.76, 2.8, 2.9, 3.0, 3.1)[wood] * rng.uniform(0.97, 1.03)
    t = np.linspace(0, 1, samples)
    pitch = rng.uniform(40, 60)
    wave = np.exp(-damping * t) * np.sin(2 * np.pi * pitch * t)
    wave += 0.5 * np.exp(-1.8 * damping * t) * np.sin(2 * np.pi * pitch * stretch * t)
    return wave + rng.normal(0, 0.05, samples)


def features(wave):
    spectrum = np.log(np.abs(np.fft.rfft(wave))[:240].reshape(20, 12).mean(axis=1) + 1e-3)
    envelope = np.log(np.abs(wave)[:500].reshape(20, 25).mean(axis=1) + 1e-3)
    return np.concatenate([spectrum, envelope])


def make_rings(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, count)
    x = np.stack([features(ring(rng, wood)) for wood in labels])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return x.astype(np.float32), labels.astype(np.int64)


def train_members(folder, args, x, y):
    jobs = [(folder, index, args.seed, x, y, args.steps) for index in range(args.members)]
    with multiprocessing.get_context("fork").Pool(args.workers) as pool:
        for index, loss in pool.map(train_member, jobs, chunksize=1):
            print(f"member {index}: last loss {loss:.5f}")


def train_stacker(models, x, y, steps, seed):
    torch.manual_seed(seed)
    with torch.no_grad():
        votes = torch.cat([model(x).softmax(1) for model in models], dim=1)
    stacker = nn.Sequential(nn.Dropout(0.2), nn.Linear(votes.shape[1], 24), nn.ReLU(), nn.Linear(24, 5))
    optimizer = torch.optim.Adam(stacker.parameters(), lr=5e-3)
    for _ in range(steps):
        rows = torch.randint(len(votes), (64,))
        loss = nn.functional.cross_entropy(stacker(votes[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return stacker.eval()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, default=9)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--seed", type=int, default=4)
    args = parser.parse_args()

    torch.set_num_threads(1)
    x, y = make_rings(2400, args.seed)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="xylophone_") as folder:
        train_members(folder, args, x[:1200], y[:1200])
        models = load_all(folder)
    print(f"{len(models)} members in {time.perf_counter() - began:.2f} s")

    x, y = torch.from_numpy(x), torch.from_numpy(y)
    stacker = train_stacker(models, x[1200:1800], y[1200:1800], steps=200, seed=args.seed + 1)
    with torch.no_grad():
        votes = torch.cat([model(x[1800:]).softmax(1) for model in models], dim=1)
        scores = stacker(votes)
    print(f"accuracy {(scores.argmax(1) == y[1800:]).float().mean().item():.4f}")
    print(f"test loss {nn.functional.cross_entropy(scores, y[1800:]).item():.9f}")


if __name__ == "__main__":
    main()
