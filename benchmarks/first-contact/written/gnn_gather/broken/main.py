"""Node classification on a stochastic block graph."""
import argparse
import random
import time

import numpy as np
import torch
from torch import nn

import layers


def block_graph(nodes, degree, classes, seed):
    rng = np.random.default_rng(seed)
    label = rng.integers(0, classes, nodes)
    src = rng.integers(0, nodes, nodes * degree * 3)
    dst = rng.integers(0, nodes, nodes * degree * 3)
    keep = (label[src] == label[dst]) | (rng.random(len(src)) < 0.15)
    src, dst = src[keep], dst[keep]
    x = rng.normal(size=(nodes, 12)) + 0.5 * np.eye(12)[label]
    return torch.tensor(x, dtype=torch.float32), torch.tensor(label), torch.tensor(src), torch.tensor(dst)


class GraphNet(nn.Module):
    def __init__(self, kind, width, classes):
        super().__init__()
        self.first = layers.build(kind, 12, width)
        self.second = layers.build(kind, width, width)
        self.out = nn.Linear(width, classes)
        self.drop = nn.Dropout(0.2)

    def forward(self, x, *graph):
        h = torch.relu(self.first(x, *graph))
        h = torch.relu(self.second(self.drop(h), *graph))
        return self.out(h)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--layer", choices=sorted(layers.LAYERS), default="gated")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--epochs", type=int, default=25)
    args = p.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    x, y, src, dst = block_graph(1200, 10, 6, args.seed)
    degree = torch.bincount(dst, minlength=len(x)).clamp(min=1).float()
    train = torch.rand(len(x)) < 0.3
    model = GraphNet(args.layer, 32, 6)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-4)
    start = time.time()
    for epoch in range(args.epochs):
        model.train()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x, src, dst, degree)[train], y[train])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(x, src, dst, degree).argmax(1) == y)[~train].float().mean().item()
    print(f"{len(src)} edges, {(time.time() - start) / args.epochs * 1e3:.0f} ms per epoch")
    torch.save(model.state_dict(), "graph.pt")
    norm = sum(p.detach().double().square().sum() for p in model.parameters()).item()
    print(f"final loss {loss.item()!r} accuracy {accuracy:.4f} squared norm {norm!r}")


if __name__ == "__main__":
    main()
