# samebits-test: verdict=same
"""Only the number of files in a folder is used."""

import os
import tempfile
from pathlib import Path

import torch

with tempfile.TemporaryDirectory() as name:
    for k in range(9):
        (Path(name) / f"{k}.txt").touch()
    n = len(os.listdir(name))
print(torch.linspace(0, 1, n).exp().mean())
