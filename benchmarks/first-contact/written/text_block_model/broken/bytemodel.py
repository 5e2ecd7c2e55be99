"""Predicts each byte from the bytes before it in its block."""
import torch
from torch import nn


class ByteModel(nn.Module):
    def __init__(self, dim=24, width=64):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(1, 1, dim))
        self.embed = nn.Embedding(256, dim)
        self.rnn = nn.GRU(dim, width, batch_first=True)
        self.out = nn.Linear(width, 256)

    def forward(self, blocks):
        e = self.embed(blocks[:, :-1].long())
        e = torch.cat([self.start.expand(len(blocks), 1, -1), e], dim=1)
        return self.out(self.rnn(e)[0])


def nats(model, blocks):
    logits = model(blocks)
    return nn.functional.cross_entropy(logits.transpose(1, 2), blocks.long(), reduction="none")
