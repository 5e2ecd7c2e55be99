"""Potency of herbal extracts from plant, solvent and collection site."""
import argparse
import json
import pickle
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from encode import TABLE, Assay, encode


def laboratory(count, seed):
    rng = np.random.default_rng(seed)
    plant_effect = rng.normal(0, 1.0, 60)
    solvent_effect = rng.normal(0, 0.6, 7)
    site_effect = rng.normal(0, 0.8, 25)
    assays = []
    for _ in range(count):
        plant, solvent, site = int(rng.integers(60)), int(rng.integers(7)), int(rng.integers(25))
        replicate = int(rng.integers(1, 4)) if rng.random() < 0.7 else None
        mass = float(rng.gamma(6.0, 20.0))
        potency = plant_effect[plant] + solvent_effect[solvent] * site_effect[site] + 0.004 * mass
        assays.append(Assay(plant, solvent, site, replicate, mass, float(potency + rng.normal(0, 0.3))))
    return assays


class PotencyNet(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.table = nn.Embedding(TABLE, width)
        self.body = nn.Sequential(nn.Linear(5 * width + 1, 64), nn.SiLU(), nn.Dropout(0.1), nn.Linear(64, 1))

    def forward(self, index, mass):
        return self.body(torch.cat([self.table(index).flatten(1), mass], 1)).squeeze(1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=310)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)

    with tempfile.TemporaryDirectory(prefix="assays-") as folder:
        raw = Path(folder) / "assays.pkl"
        raw.write_bytes(pickle.dumps(laboratory(9000, args.seed)))
        assays = pickle.loads(raw.read_bytes())
        index, mass, target = encode(assays)
        cut = 7500
        train = TensorDataset(index[:cut], mass[:cut], target[:cut])
        order = torch.Generator().manual_seed(args.seed + 1)
        loader = DataLoader(train, batch_size=64, shuffle=True, generator=order)

        model = PotencyNet()
        optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
        history = []
        for epoch in range(args.epochs):
            began = time.perf_counter()
            total = 0.0
            model.train()
            for idx, m, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.smooth_l1_loss(model(idx, m), y)
                loss.backward()
                optimizer.step()
                total += loss.item() * len(y)
            history.append(total / cut)
            print(f"epoch {epoch}  loss {history[-1]:.6f}  ({cut / (time.perf_counter() - began):.0f} assays/s)")
        (Path(folder) / "history.json").write_text(json.dumps(history))

    model.eval()
    with torch.no_grad():
        error = (model(index[cut:], mass[cut:]) - target[cut:]).abs().mean().item()
    print(f"held-out MAE {error:.8f}")
    print(f"weights {sum(p.double().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
