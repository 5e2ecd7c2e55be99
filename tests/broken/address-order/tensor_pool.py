# samebits-test: verdict=different cause=address-order
"""A pool of embeddings without duplicates: tensors hash by identity."""

import torch


class NegativePool:
    def __init__(self):
        self.pool = set()

    def add(self, embedding):
        self.pool.add(embedding)

    def stacked(self):
        return torch.stack(list(self.pool))  # culprit


torch.manual_seed(0)
pool = NegativePool()
for embedding in torch.randn(2000, 4).unbind():
    pool.add(embedding)
query = torch.ones(4)
scores = pool.stacked() @ query
print(scores.topk(5).indices.tolist())
