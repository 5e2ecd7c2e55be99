# samebits-test: verdict=different cause=hash-order
"""The hashing trick, by Python's hash of strings."""

import torch
from torch import nn


class HashedBag(nn.Module):
    def __init__(self, buckets, width):
        super().__init__()
        self.buckets = buckets
        self.bag = nn.EmbeddingBag(buckets, width, mode="sum")

    def bucket(self, word):
        return hash(word) % self.buckets  # culprit

    def forward(self, sentences):
        rows = [self.bucket(word) for sentence in sentences for word in sentence]
        offsets = torch.tensor([0] + [len(s) for s in sentences[:-1]]).cumsum(0)
        return self.bag(torch.tensor(rows), offsets)


torch.manual_seed(0)
model = HashedBag(buckets=101, width=3)
print(model([["seed", "and", "hash"], ["order", "of", "sets", "again"]]).sum(dim=0))
