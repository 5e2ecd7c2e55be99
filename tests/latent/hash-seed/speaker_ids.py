# samebits-test: vary=hash-seed cause=hash-order env=PYTHONHASHSEED=7
"""Speakers are numbered as they come out of a frozenset."""

import torch
from torch import nn


class Speakers:
    def __init__(self, utterances):
        names = frozenset(name for name, _ in utterances)
        self.numbers = {}
        for name in names:  # culprit
            self.numbers[name] = len(self.numbers)

    def __getitem__(self, name):
        return self.numbers[name]


utterances = [(f"speaker{k * k % 31}", float(k)) for k in range(64)]
speakers = Speakers(utterances)
torch.manual_seed(0)
embedding = nn.Embedding(len(speakers.numbers), 2)
ids = torch.tensor([speakers[name] for name, _ in utterances])
print(embedding(ids).cumsum(dim=0)[-1])
