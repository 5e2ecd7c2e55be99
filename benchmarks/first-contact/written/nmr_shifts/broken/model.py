"""Message passing over the bonds; one number per atom."""

import torch
from torch import nn

from molecules import ELEMENTS


class Round(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.message = nn.Linear(width, width)
        self.update = nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, atoms, links):
        heard = links @ self.message(atoms)
        change = nn.functional.silu(self.update(torch.cat([atoms, heard], dim=-1)))
        return self.norm(atoms + self.dropout(change))


class ShiftNet(nn.Module):
    def __init__(self, width=40, rounds=3, dropout=0.02):
        super().__init__()
        self.element = nn.Embedding(len(ELEMENTS), width)
        self.rounds = nn.ModuleList(Round(width, dropout) for _ in range(rounds))
        self.readout = nn.Sequential(nn.Linear(2 * width, width), nn.SiLU(), nn.Linear(width, 1))

    def forward(self, kinds, links):
        start = self.element(kinds)
        atoms = start
        for round_ in self.rounds:
            atoms = round_(atoms, links)
        return self.readout(torch.cat([start, atoms], dim=-1)).squeeze(-1)
