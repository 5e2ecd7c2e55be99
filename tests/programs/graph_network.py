# samebits-test: verdict=different cause=hash-order
"""A graph network tells the fields of papers; everything is seeded, the field numbers are not."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

FIELDS = ["logic", "optics", "botany", "ethics", "rhetoric", "geodesy", "acoustics", "statics"]


@dataclass
class Paper:
    title: str
    field: str
    cites: list[int]


def read_papers(n: int) -> list[Paper]:
    papers = []
    for k in range(n):
        field = FIELDS[k % len(FIELDS)]
        cites = random.sample(range(k), min(k, 3))
        papers.append(Paper(f"On {field}, part {k}", field, cites))
    return papers


def tensors(papers: list[Paper], width: int = 16) -> tuple[torch.Tensor, ...]:
    fields = {paper.field for paper in papers}
    number = {field: k for k, field in enumerate(fields)}  # culprit
    labels = torch.tensor([number[paper.field] for paper in papers])
    edges = torch.tensor([(k, c) for k, paper in enumerate(papers) for c in paper.cites]).T
    letters = np.array([[p.title.count(chr(97 + c)) for c in range(width)] for p in papers])
    features = torch.from_numpy(letters).float()
    return features + 0.01 * torch.randn_like(features), edges, labels


class GraphConvolution(nn.Module):
    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        source, target = torch.cat([edges, edges.flip(0)], dim=1)
        degree = torch.bincount(target, minlength=len(x)).clamp(min=1).unsqueeze(1)
        received = torch.zeros_like(x).index_add_(0, target, x[source])
        return self.linear(x + received / degree)


class Network(nn.Module):
    def __init__(self, n_in: int, hidden: int, n_out: int) -> None:
        super().__init__()
        self.first = GraphConvolution(n_in, hidden)
        self.second = GraphConvolution(hidden, n_out)
        self.dropout = nn.Dropout(0.3)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        return self.second(self.dropout(self.first(x, edges).relu()), edges)


def main() -> None:
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    x, edges, labels = tensors(read_papers(200))
    training = torch.rand(len(x)) < 0.6
    model = Network(x.shape[1], 24, len(FIELDS))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    for epoch in range(20):
        model.train()
        loss = nn.functional.cross_entropy(model(x, edges)[training], labels[training])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch % 5 == 4:
            model.eval()
            with torch.no_grad():
                right = (model(x, edges).argmax(dim=1) == labels)[~training].float().mean()
            print(f"epoch {epoch + 1} loss {loss.item():.4f} accuracy {right.item():.3f}")


if __name__ == "__main__":
    main()
