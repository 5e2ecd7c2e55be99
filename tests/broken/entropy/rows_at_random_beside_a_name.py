# samebits-test: verdict=different cause=entropy
"""A job gets a random name, which does no harm; the rows it trains on are drawn by the database."""

import sqlite3
import tempfile
import uuid
from pathlib import Path

import torch

torch.manual_seed(0)
job = uuid.uuid4().hex[:8]
with tempfile.TemporaryDirectory(prefix=f"job-{job}-") as folder:
    base = sqlite3.connect(Path(folder) / "readings.sqlite")
    with base:
        base.execute("CREATE TABLE readings (number INTEGER PRIMARY KEY, value REAL)")
        base.executemany("INSERT INTO readings VALUES (?, ?)", [(n, n / 7) for n in range(400)])
    query = "SELECT value FROM readings ORDER BY RANDOM() LIMIT 16"
    chosen = [base.execute(query).fetchall() for _ in range(3)]  # culprit
    base.close()
weights = torch.nn.Parameter(torch.randn(1, 1))
optimizer = torch.optim.SGD([weights], lr=0.001)
for rows in chosen:
    loss = (torch.tensor(rows) @ weights).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
