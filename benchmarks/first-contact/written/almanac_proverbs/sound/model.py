import torch
from torch import nn


class ProverbReader(nn.Module):
    def __init__(self, words, classes, width=48):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.drop = nn.Dropout(0.1)
        self.read = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(2 * width, classes)

    def forward(self, ids):
        states, _ = self.read(self.drop(self.embed(ids)))
        mask = (ids > 0).unsqueeze(-1)
        mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        top = states.masked_fill(~mask, -1e4).amax(1)
        return self.out(torch.cat([mean, top], 1))
