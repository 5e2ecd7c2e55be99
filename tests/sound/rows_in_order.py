# samebits-test: verdict=same
"""Negatives are drawn by a seeded generator from rows in a fixed order."""

import sqlite3

import torch

torch.manual_seed(0)
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE shows (number INTEGER PRIMARY KEY)")
base.executemany("INSERT INTO shows VALUES (?)", [(n,) for n in range(500)])


def negatives(count):
    shows = base.execute("SELECT number FROM shows ORDER BY number").fetchall()
    return [shows[n][0] for n in torch.randperm(len(shows))[:count]]


embedding = torch.nn.Embedding(500, 4)
optimizer = torch.optim.SGD(embedding.parameters(), lr=0.1)
for _ in range(3):
    loss = embedding(torch.tensor(negatives(16))).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
