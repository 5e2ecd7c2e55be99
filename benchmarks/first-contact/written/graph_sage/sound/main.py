"""Graph-level regression (molecule-like random graphs) with a GIN; edges come from Python sets of node pairs."""
import random
from typing import NamedTuple

import torch
from torch import nn


class Graph(NamedTuple):
    kinds: list
    edges: list
    target: float


class SumPool(torch.autograd.Function):
    """Sums rows that carry the same index."""

    @staticmethod
    def forward(ctx, x, index, size):
        ctx.save_for_backward(index)
        return x.new_zeros(size, x.shape[1]).index_add_(0, index, x)

    @staticmethod
    def backward(ctx, grad):
        (index,) = ctx.saved_tensors
        return grad.index_select(0, index), None, None


def random_graph(rng):
    n = rng.randint(6, 14)
    bonds = {frozenset((i, rng.randrange(i))) for i in range(1, n)}
    for _ in range(rng.randint(0, 4)):
        a, b = rng.sample(range(n), 2)
        bonds.add(frozenset((a, b)))
    edges = sorted(tuple(sorted(b)) for b in bonds)
    kinds = [rng.choice((0, 0, 0, 1, 2)) for _ in range(n)]
    neighbours = {i: set() for i in range(n)}
    for a, b in edges:
        neighbours[a].add(b)
        neighbours[b].add(a)
    triangles = sum(len(neighbours[a] & neighbours[b]) for a, b in edges) / 3
    polar = sum(1 for a, b in edges if {kinds[a], kinds[b]} == {1, 2})
    return Graph(kinds, edges, 0.5 * triangles + polar + 0.1 * n + rng.gauss(0, 0.05))


def batch_up(graphs):
    kinds, src, dst, owner, shift = [], [], [], [], 0
    for k, g in enumerate(graphs):
        kinds += g.kinds
        owner += [k] * len(g.kinds)
        for a, b in g.edges:
            src += [a + shift, b + shift]
            dst += [b + shift, a + shift]
        shift += len(g.kinds)
    t = torch.tensor
    return t(kinds), t(src), t(dst), t(owner), t([g.target for g in graphs])


class GIN(nn.Module):
    def __init__(self, dim=40, depth=3):
        super().__init__()
        self.embed = nn.Embedding(3, dim)
        self.eps = nn.Parameter(torch.zeros(depth))
        self.mlps = nn.ModuleList(
            nn.Sequential(nn.Linear(dim, dim), nn.BatchNorm1d(dim), nn.ReLU(), nn.Linear(dim, dim)) for _ in range(depth))
        self.readout = nn.Linear(dim, 1)

    def forward(self, kinds, src, dst, owner, n_graphs):
        h = self.embed(kinds)
        for eps, mlp in zip(self.eps, self.mlps):
            around = SumPool.apply(h.index_select(0, src), dst, len(h))
            h = torch.relu(mlp((1 + eps) * h + around))
        return self.readout(SumPool.apply(h, owner, n_graphs)).squeeze(1) / 10


def main():
    rng = random.Random("graphs-v1")
    torch.manual_seed(4)
    data = [random_graph(rng) for _ in range(700)]
    train, test = data[:600], data[600:]
    print("mean target", sum(g.target for g in train) / len(train), "sizes", sorted({len(g.kinds) for g in data}))
    model = GIN()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(4):
        rng.shuffle(train)
        model.train()
        seen = 0.0
        for i in range(0, len(train), 50):
            *parts, y = batch_up(train[i:i + 50])
            loss = nn.functional.mse_loss(model(*parts, len(y)), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            seen += loss.item() * len(y)
        print(f"epoch {epoch} mse {seen / len(train):.6f}")
    model.eval()
    with torch.no_grad():
        *parts, y = batch_up(test)
        p = model(*parts, len(y))
    print("test MAE", (p - y).abs().mean().item())
    torch.save({"pred": p, "target": y}, "predictions.pt")


if __name__ == "__main__":
    main()
