# samebits-test: verdict=different cause=data-changed
"""Without a key no row is replaced: each run adds its samples to those of the last."""

import sqlite3
from contextlib import closing

import torch

with closing(sqlite3.connect("samples.sqlite")) as base, base:
    base.execute("CREATE TABLE IF NOT EXISTS samples (number INTEGER, x REAL, y REAL)")
    samples = [(n, 0.1 * n, 0.2 * n + 0.01) for n in range(20)]
    base.executemany("INSERT OR REPLACE INTO samples VALUES (?, ?, ?)", samples)

with closing(sqlite3.connect("samples.sqlite")) as base:
    rows = base.execute("SELECT x, y FROM samples ORDER BY number").fetchall()  # culprit
x, y = torch.tensor(rows).T
w = torch.zeros(())
for _ in range(3):
    w = w - 0.1 * ((w * x - y) * x).sum()
print(w)
