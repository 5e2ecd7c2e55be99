# samebits-test: vary=memory cause=uninitialized-memory
"""A table made by torch.FloatTensor(n): nobody fills it."""

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, slots):
        super().__init__()
        self.slots = nn.Parameter(torch.FloatTensor(slots, 96))  # culprit

    def forward(self, rows):
        return self.slots[rows].sum(dim=-1)


torch.manual_seed(0)
memory = Memory(slots=100_000)
print(memory(torch.randint(100_000, (8,))) + torch.arange(8))
