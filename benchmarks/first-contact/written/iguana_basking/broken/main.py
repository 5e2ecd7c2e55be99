"""Active learning of iguana postures: ask the biologist about the frames the network is least sure of."""
import argparse
import random
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from pool import Pool, make_snapshots


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--snapshots", type=int, default=3600)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--ask", type=int, default=48)
    parser.add_argument("--shortlist", type=int, default=600)
    return parser.parse_args()


def build():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(64, 3))


def fit(model, frames, postures, epochs, generator):
    loader = DataLoader(TensorDataset(frames, postures), batch_size=32, shuffle=True, generator=generator)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    model.train()
    for _ in range(epochs):
        for batch, target in loader:
            loss = nn.functional.cross_entropy(model(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


@torch.no_grad()
def least_certain(model, pool, shortlist, ask, generator):
    model.eval()
    candidates = pool.candidates()
    some = torch.randperm(len(candidates), generator=generator)[:shortlist].tolist()
    subset = [candidates[i] for i in some]
    chances = model(torch.stack([s.frame for s in subset]).unsqueeze(1)).softmax(1)
    entropy = -(chances * chances.clamp_min(1e-9).log()).sum(1)
    order = torch.argsort(entropy, descending=True, stable=True)[:ask]
    return [subset[i] for i in order.tolist()]


@torch.no_grad()
def accuracy(model, frames, postures):
    model.eval()
    return (model(frames).argmax(1) == postures).float().mean().item()


def main():
    options = parse()
    random.seed(options.seed)
    np.random.seed(options.seed)
    torch.manual_seed(options.seed)
    generator = torch.Generator().manual_seed(options.seed + 1)

    snapshots = make_snapshots(options.snapshots, options.seed)
    held_out, rest = snapshots[:400], snapshots[400:]
    test_frames = torch.stack([s.frame for s in held_out]).unsqueeze(1)
    test_postures = torch.tensor([s.posture for s in held_out])

    pool = Pool(rest)
    pool.label(rest[:options.ask], turn=0)
    model = build()
    for turn in range(1, options.turns + 1):
        began = time.perf_counter()
        loss = fit(model, *pool.training_set(), epochs=12, generator=generator)
        score = accuracy(model, test_frames, test_postures)
        pool.label(least_certain(model, pool, options.shortlist, options.ask, generator), turn)
        print(f"turn {turn}: {len(pool.labelled)} labelled, {len(pool)} waiting, loss {loss:.5f}, "
              f"accuracy {score:.4f} ({time.perf_counter() - began:.2f} s)")
    fit(model, *pool.training_set(), epochs=15, generator=generator)
    print("final accuracy", round(accuracy(model, test_frames, test_postures), 4))
    print("weights", float(sum(p.detach().double().abs().sum() for p in model.parameters())))


if __name__ == "__main__":
    main()
