# samebits-test: verdict=different cause=entropy
"""Negatives are drawn by the database, whose generator no seed reaches."""

import sqlite3

import torch

torch.manual_seed(0)
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE shows (number INTEGER PRIMARY KEY)")
base.executemany("INSERT INTO shows VALUES (?)", [(n,) for n in range(500)])


def negatives(count):
    drawn = base.execute("SELECT number FROM shows ORDER BY RANDOM() LIMIT ?", (count,))
    return [number for (number,) in drawn]  # culprit


embedding = torch.nn.Embedding(500, 4)
optimizer = torch.optim.SGD(embedding.parameters(), lr=0.1)
for _ in range(3):
    loss = embedding(torch.tensor(negatives(16))).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
