import torch
from torch import nn


class ParentIndex:
    """Rows of the parent table: one for each dam or sire that has offspring in the captures."""

    def __init__(self, captures):
        parents = dict.fromkeys(p for c in captures for p in (c.animal.dam, c.animal.sire))
        self.row = {animal: i for i, animal in enumerate(parents)}

    def __len__(self):
        return len(self.row)

    def pair(self, capture):
        return self.row[capture.animal.dam], self.row[capture.animal.sire]


class HornModel(nn.Module):
    def __init__(self, parents, width=48, dim=12):
        super().__init__()
        self.parents = nn.Embedding(parents, dim)
        nn.init.normal_(self.parents.weight, std=0.1)
        self.body = nn.Sequential(
            nn.Linear(dim + 4, width),
            nn.SiLU(),
            nn.Linear(width, width),
            nn.SiLU(),
            nn.Linear(width, 1),
        )

    def forward(self, pair, measures):
        heredity = self.parents(pair).mean(dim=1)
        return self.body(torch.cat([heredity, measures], dim=1)).squeeze(1)


def encode(captures, index):
    pairs = torch.tensor([index.pair(c) for c in captures])
    measures = torch.tensor(
        [
            [
                c.base_mm / 200,
                c.annuli / 10,
                (c.year - c.animal.born) / 10,
                1.0 if c.animal.sex == "m" else 0.0,
            ]
            for c in captures
        ]
    )
    target = torch.tensor([c.length_mm / 500 for c in captures])
    return pairs, measures, target
