from collections import Counter

import torch
from torch import nn


class Vocabulary:
    def __init__(self, texts, size=120):
        counts = Counter(word for text in texts for word in text.split())
        common = sorted(counts, key=lambda word: (-counts[word], word))[: size - 1]
        self.index = {word: number for number, word in enumerate(common, start=1)}
        self.size = size

    def encode(self, texts):
        ids, offsets = [], []
        for text in texts:
            offsets.append(len(ids))
            ids += [self.index.get(word, 0) for word in text.split()]
        return torch.tensor(ids), torch.tensor(offsets)


class BagClassifier(nn.Module):
    def __init__(self, vocabulary, n_classes, width=24):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocabulary.size, width, mode="mean")
        self.head = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Dropout(0.2),
                                  nn.Linear(32, n_classes))

    def forward(self, ids, offsets):
        return self.head(self.embed(ids, offsets))
