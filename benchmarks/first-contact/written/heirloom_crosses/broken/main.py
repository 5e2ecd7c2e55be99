"""Tomato pedigrees: estimate breeding values with a family effect and a parent effect.

    python main.py --plants 900 --generations 6 --out report.json
"""
import argparse
import json
from typing import NamedTuple, Optional

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Cross(NamedTuple):
    seed_parent: Optional[int]
    pollen_parent: Optional[int]      # None: open pollinated, father not recorded


class Plant(NamedTuple):
    ident: int
    generation: int
    cross: Cross
    bed: int
    weight: float                     # grams, mean of the first five fruits


def grow(n_plants, generations, rng):
    per = n_plants // generations
    value, plants = [], []
    previous = []
    for g in range(generations):
        current = []
        crosses = []
        for _ in range(max(per // 5, 1)):
            if not previous:
                crosses.append(Cross(None, None))
            else:
                mother = int(rng.choice(previous))
                father = None if rng.random() < 0.35 else int(rng.choice(previous))
                crosses.append(Cross(mother, father))
        for i in range(per):
            cross = crosses[i % len(crosses)]
            m = value[cross.seed_parent] if cross.seed_parent is not None else rng.normal(0, 20)
            f = value[cross.pollen_parent] if cross.pollen_parent is not None else rng.normal(0, 20)
            value.append(0.5 * (m + f) + rng.normal(0, 9) + 1.5)
            ident = len(value) - 1
            bed = int(rng.integers(0, 12))
            weight = 140 + value[-1] + 4.0 * np.sin(bed) + rng.normal(0, 11)
            plants.append(Plant(ident, g, cross, bed, float(weight)))
            current.append(ident)
        previous = current
    return plants, np.array(value)


def number_families(plants):
    """Family number of every cross that was made, and the plants in each."""
    crosses = {p.cross for p in plants}
    number = {cross: k for k, cross in enumerate(crosses)}
    size = [0] * len(number)
    for p in plants:
        size[number[p.cross]] += 1
    return number, size


def tensors(plants, number):
    known = [p.weight for p in plants]
    mean = sum(known) / len(known)

    def parent(ident):
        return mean if ident is None else plants[ident].weight

    numeric = torch.tensor([[parent(p.cross.seed_parent) - mean,
                             parent(p.cross.pollen_parent) - mean,
                             float(p.cross.pollen_parent is None),
                             p.generation] for p in plants])
    numeric = (numeric - numeric.mean(0)) / numeric.std(0).clamp_min(1e-6)
    family = torch.tensor([number[p.cross] for p in plants])
    bed = torch.tensor([p.bed for p in plants])
    target = torch.tensor([p.weight for p in plants])
    return numeric.float(), family, bed, (target - mean) / 25.0


class BreedingValue(nn.Module):
    def __init__(self, families, beds, width):
        super().__init__()
        self.family = nn.Embedding(families, 6)
        self.bed = nn.Embedding(beds, 3)
        self.net = nn.Sequential(nn.Linear(4 + 6 + 3, width), nn.SiLU(),
                                 nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, numeric, family, bed):
        x = torch.cat([numeric, self.family(family), self.bed(bed)], dim=1)
        return self.net(x).squeeze(1)


def fit(model, data, train, args):
    numeric, family, bed, target = data
    optimiser = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.02)
    for epoch in range(args.epochs):
        order = train[torch.randperm(len(train))]
        total = 0.0
        for rows in order.split(args.batch):
            guess = model(numeric[rows], family[rows], bed[rows])
            loss = F.huber_loss(guess, target[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(rows)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3d}  huber {total / len(train):.6f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plants", type=int, default=900)
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--out", default="report.json")
    args = parser.parse_args()

    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)
    plants, truth = grow(args.plants, args.generations, rng)
    number, size = number_families(plants)
    print(f"{len(plants)} plants, {len(number)} families, largest {max(size)}")

    data = tensors(plants, number)
    shuffled = torch.from_numpy(rng.permutation(len(plants)))
    cut = int(0.8 * len(plants))
    train, test = shuffled[:cut], shuffled[cut:]

    model = BreedingValue(len(number), 12, 48)
    fit(model, data, train, args)

    model.eval()
    with torch.no_grad():
        numeric, family, bed, target = data
        guess = model(numeric[test], family[test], bed[test])
    rmse = 25.0 * (guess - target[test]).square().mean().sqrt().item()
    accuracy = float(np.corrcoef(guess.numpy(), truth[test.numpy()])[0, 1])
    best = [int(test[i]) for i in guess.topk(10).indices]
    print(f"test rmse {rmse:.4f} g, accuracy of breeding value {accuracy:.5f}")
    print("keep seed of", *best)
    with open(args.out, "w") as handle:
        json.dump({"rmse": rmse, "accuracy": accuracy, "selected": best}, handle, indent=2)


if __name__ == "__main__":
    main()
