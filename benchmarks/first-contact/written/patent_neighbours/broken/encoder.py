import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocabulary, dim=48):
        super().__init__()
        self.words = nn.EmbeddingBag(vocabulary, dim, mode="mean")
        self.mix = nn.Sequential(nn.Linear(dim, 96), nn.GELU(), nn.Dropout(0.1), nn.Linear(96, dim))

    def forward(self, tokens):
        x = self.words(tokens)
        return nn.functional.normalize(x + self.mix(x), dim=-1)


def ndcg(rank):
    return (1.0 / torch.log2(rank.double() + 2.0)).mean().item()
