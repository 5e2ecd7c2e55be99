# samebits-test: verdict=same
"""Durations without a word, a run's name, a process number and a listing that is kept."""

import csv
import json
import os
import tempfile
import time
import uuid
from pathlib import Path

import torch

start = time.time()
name = uuid.uuid4().hex[:6]
print("run", name, "of", os.getpid())
kept = Path("numbers.json")
if not kept.exists():
    print("preparing the numbers")
    kept.write_text(json.dumps([k / 7 for k in range(50)]))
numbers = torch.tensor(json.loads(kept.read_text()))
with tempfile.TemporaryDirectory() as folder, Path(folder, f"{name}.csv").open("w") as file:
    rows = csv.writer(file)
    for epoch in range(3):
        numbers = (numbers * 3).sin()
        rows.writerow([epoch, numbers.sum().item(), time.time() - start])
        print(epoch, numbers.sum().item(), time.time() - start)
