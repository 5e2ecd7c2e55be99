import torch
from torch import nn

from telegrams import LENGTH, LETTERS


class Filler(nn.Module):
    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.letter = nn.Embedding(len(LETTERS) + 1, width)
        self.place = nn.Parameter(0.02 * torch.randn(LENGTH, width))
        self.mix = nn.ModuleList(nn.Conv1d(width, width, 7, padding=3) for _ in range(2))
        self.drop = nn.Dropout(0.05)
        self.out = nn.Linear(width, len(LETTERS))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = (self.letter(ids) + self.place).transpose(1, 2)
        for mix in self.mix:
            h = h + self.drop(mix(h).relu())
        return self.out(h.transpose(1, 2))
