# samebits-test: verdict=different cause=uninitialized-memory
"""Rows of different lengths are padded by a collate function that fills no padding."""

import numpy as np
import torch
from torch.utils.data import DataLoader

PRODUCTS = np.random.default_rng(3).integers(10**6, 10**12, 400)


def pad(rows):
    width = -(-max(len(row) for row in rows) // 8) * 8
    padded = np.empty((len(rows), width), dtype=np.int64)  # culprit
    for line, row in zip(padded, rows, strict=True):
        line[: len(row)] = row
    return torch.from_numpy(padded % 500)


lengths = np.random.default_rng(4).integers(3, 30, 240)
sessions = [PRODUCTS[k : k + length] for k, length in enumerate(lengths)]
torch.manual_seed(0)
embed = torch.nn.Embedding(500, 8)
score = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD([*embed.parameters(), *score.parameters()], lr=0.1)
for batch in DataLoader(sessions, batch_size=24, collate_fn=pad):
    loss = (score(embed(batch).mean(dim=1)) - 1).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
