# samebits-test: verdict=same
"""The sizes of files are whole numbers: their sum has no order."""

import os
import tempfile

import torch

with tempfile.TemporaryDirectory() as folder:
    for k in range(7):
        with open(os.path.join(folder, f"part{k}"), "w") as file:
            file.write("x" * (k * k + 1))
    with os.scandir(folder) as entries:
        size = sum(entry.stat().st_size for entry in entries)
print(torch.tensor(float(size)).sqrt())
