import torch
from torch import nn
from torch.nn import functional as F


def tower(inputs, outputs, hidden=64):
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Dropout(0.1), nn.Linear(hidden, outputs))


class Towers(nn.Module):
    """One tower for what the order says, one for the part; near each other where they belong together."""

    def __init__(self, vectors, size=32):
        super().__init__()
        self.register_buffer("vectors", vectors, persistent=False)
        width = vectors.shape[1]
        self.note = tower(width, size)
        self.part = tower(width, size)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def parts(self, ids):
        return F.normalize(self.part(self.vectors[ids]), dim=-1)

    def notes(self, notes):
        return F.normalize(self.note(notes), dim=-1)

    def forward(self, notes, candidates):
        """Scores of each order's own candidates: (batch, candidates)."""
        return self.scale.exp() * torch.einsum("bd,bcd->bc", self.notes(notes), self.parts(candidates))
