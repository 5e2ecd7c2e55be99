# samebits-test: verdict=same
"""Temporary files have random names; their content is what was written."""

import tempfile

import numpy as np
import torch

values = np.linspace(0, 1, 20)
with tempfile.NamedTemporaryFile(suffix=".npy") as file:
    np.save(file, values)
    file.seek(0)
    x = torch.from_numpy(np.load(file))
with tempfile.TemporaryDirectory(prefix="cache-") as folder:
    torch.save(x.flip(0), f"{folder}/x.pt")
    x = x * torch.load(f"{folder}/x.pt")
print(x.sum())
