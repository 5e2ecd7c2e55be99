import argparse
import csv
import random
import time
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from torch import nn

from clusters import districts
from network import build


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.own, self.far = nn.Linear(dim, dim), nn.Linear(dim + 2, dim)

    def forward(self, h, src, dst, edge):
        message = torch.tanh(self.far(torch.cat([h[src], edge], 1)))
        total = torch.zeros_like(h).index_add(0, dst, message)
        return h + torch.relu(self.own(h) + total)


class HeatGNN(nn.Module):
    def __init__(self, dim=32, depth=5):
        super().__init__()
        self.inp = nn.Linear(4, dim)
        self.layers = nn.ModuleList(Layer(dim) for _ in range(depth))
        self.out = nn.Linear(dim, 1)

    def forward(self, x, src, dst, edge):
        h = self.inp(x)
        for layer in self.layers:
            h = layer(h, src, dst, edge)
        return self.out(h).squeeze(1)


def tensors(members):
    """Features, directed edges and targets of one district; pipes that leave it are cut."""
    place = {s: i for i, s in enumerate(members)}
    src, dst, edge = [], [], []
    for s in members:
        for pipe in s.pipes:
            t = pipe.other(s)
            if t in place:
                src.append(place[t])
                dst.append(place[s])
                edge.append((pipe.length, pipe.insulation))
    x = torch.tensor([(s.x / 36, s.y / 36, s.demand, len(s.pipes) / 4) for s in members])
    y = torch.tensor([(s.supply - 70) / 15 for s in members])
    return x, torch.tensor(src, dtype=torch.long), torch.tensor(dst, dtype=torch.long), torch.tensor(edge).view(-1, 2), y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    stations = build()
    batches = [tensors(m) for m in districts(stations)]
    test_batches = batches[::5]
    train_batches = [b for i, b in enumerate(batches) if i % 5]
    print(f"{len(stations)} substations, {len({p for s in stations for p in s.pipes})} pipes")

    run = Path("out") / datetime.now().strftime("gnn_%m%d_%H%M%S_%f")
    run.mkdir(parents=True)
    model = HeatGNN()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    began = time.perf_counter()
    with open(run / "history.csv", "w", newline="") as f:
        table = csv.writer(f)
        table.writerow(["time", "epoch", "mse"])
        for epoch in range(args.epochs):
            random.shuffle(train_batches)
            total = 0.0
            for x, src, dst, edge, y in train_batches:
                keep = torch.rand(len(src)) > 0.05
                loss = nn.functional.mse_loss(model(x, src[keep], dst[keep], edge[keep]), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            table.writerow([datetime.now().isoformat(), epoch, total / len(train_batches)])
            if epoch % 5 == 4:
                print(f"epoch {epoch + 1} mse {total / len(train_batches):.6f} ({time.perf_counter() - began:.1f}s)")

    with torch.no_grad():
        errors = torch.cat([(model(*b[:4]) - b[4]) * 15 for b in test_batches])
    torch.save(model.state_dict(), run / "weights.pt")
    print(f"test rmse {errors.pow(2).mean().sqrt().item():.5f} K, worst {errors.abs().max().item():.5f} K")


if __name__ == "__main__":
    main()
