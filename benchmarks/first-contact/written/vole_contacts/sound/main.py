"""Predict which voles meet: link prediction on a contact network."""
import argparse
import random
import time

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.nn import functional as F

import graph


class Encoder(nn.Module):
    def __init__(self, width: int, hidden: int):
        super().__init__()
        self.own1, self.near1 = nn.Linear(width, hidden), nn.Linear(width, hidden, bias=False)
        self.own2, self.near2 = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, adjacency):
        h = F.relu(self.own1(x) + self.near1(adjacency @ x))
        h = F.dropout(h, 0.1, self.training)
        return self.own2(h) + self.near2(adjacency @ h)


def mean_adjacency(edges: torch.Tensor, n: int) -> torch.Tensor:
    dense = torch.zeros(n, n)
    dense[edges[0], edges[1]] = 1.0
    dense[edges[1], edges[0]] = 1.0
    return dense / dense.sum(1, keepdim=True).clamp(min=1.0)


def score(z, pairs):
    return (z[pairs[0]] * z[pairs[1]]).sum(-1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--voles", type=int, default=260)
    parser.add_argument("--stations", type=int, default=70)
    parser.add_argument("--nights", type=int, default=9)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    colony = graph.simulate_colony(args.voles, args.stations, args.nights, np.random.default_rng(args.seed))
    features, edges = graph.to_tensors(colony)
    print(f"{len(colony)} voles, {edges.shape[1]} contact pairs")

    shuffle = torch.Generator().manual_seed(args.seed + 1)
    order = torch.randperm(edges.shape[1], generator=shuffle)
    held = edges.shape[1] // 5
    test, train = edges[:, order[:held]], edges[:, order[held:]]
    adjacency = mean_adjacency(train, len(colony))

    model = Encoder(features.shape[1], 32)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for chunk in torch.randperm(train.shape[1], generator=shuffle).split(args.batch):
            positive = train[:, chunk]
            negative = torch.randint(len(colony), positive.shape, generator=shuffle)
            z = model(features, adjacency)
            logits = torch.cat([score(z, positive), score(z, negative)])
            target = torch.cat([torch.ones(len(chunk)), torch.zeros(len(chunk))])
            loss = F.binary_cross_entropy_with_logits(logits, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chunk)
        if epoch % 15 == 14:
            print(f"epoch {epoch + 1:3d}  loss {total / train.shape[1]:.5f}")
    print(f"training took {time.perf_counter() - began:.2f} s")

    model.eval()
    with torch.no_grad():
        z = model(features, adjacency)
        negative = torch.randint(len(colony), test.shape, generator=shuffle)
        logits = torch.cat([score(z, test), score(z, negative)]).numpy()
    truth = np.r_[np.ones(held), np.zeros(held)]
    print(f"held-out AUC {roc_auc_score(truth, logits):.6f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in model.parameters()):.10f}")


if __name__ == "__main__":
    main()
