# samebits-test: verdict=different cause=data-changed
"""Each run appends its sample to the file that it trains on."""

import json
from pathlib import Path

import torch

store = Path("samples.jsonl")
with store.open("a") as file:
    file.write(json.dumps({"x": [1.0, 2.0, 3.0], "y": 0.5}) + "\n")

rows = [json.loads(line) for line in store.read_text().splitlines()]  # culprit
x = torch.tensor([row["x"] for row in rows])
y = torch.tensor([row["y"] for row in rows])
w = torch.zeros(3)
for _ in range(3):
    w = w - 0.01 * (x.T @ (x @ w - y))
print(w)
