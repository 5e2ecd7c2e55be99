# samebits-test: verdict=different cause=unseeded-rng detail=torch-cpu
"""torch.seed() reads like seeding; it takes a new seed from the system."""

import torch

torch.seed()  # culprit
mask = torch.rand(32, 32) < 0.1
graph = (mask | mask.T).float()
rank = torch.full((32,), 1 / 32)
for _ in range(20):
    rank = 0.15 / 32 + 0.85 * (graph @ rank) / graph.sum(0).clamp(min=1).max()
print(rank.topk(3).indices.tolist())
