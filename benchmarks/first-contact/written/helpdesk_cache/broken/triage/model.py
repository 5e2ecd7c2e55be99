import torch
from torch import nn


class TicketNet(nn.Module):
    def __init__(self, words, dim, teams):
        super().__init__()
        self.bag = nn.EmbeddingBag(words, dim, mode="mean")
        self.drop = nn.Dropout(0.1)
        self.out = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, teams))

    def forward(self, ids, offsets):
        return self.out(self.drop(self.bag(ids, offsets)))


def collate(batch):
    ids = torch.tensor([i for tokens, _ in batch for i in tokens])
    lengths = torch.tensor([0] + [len(tokens) for tokens, _ in batch[:-1]])
    return ids, lengths.cumsum(0), torch.tensor([label for _, label in batch])
