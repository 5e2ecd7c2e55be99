# samebits-test: verdict=different cause=entropy detail=tempfile
"""The best of several files is loaded; ties are settled by the random part of a file's name."""

import os
import tempfile
from pathlib import Path

import torch

torch.manual_seed(0)


def save(folder, slot, score, payload):
    end = f"-acc{score:.2f}-slot{slot}.pt"
    handle, path = tempfile.mkstemp(prefix="round0-", suffix=end, dir=folder)  # culprit
    with os.fdopen(handle, "wb") as stream:
        torch.save(payload, stream)
    return path


def score(path):
    return float(path.name.split("-acc")[1][:4])


with tempfile.TemporaryDirectory(prefix="orchard-") as folder:
    for slot in range(12):
        save(folder, slot, 0.5, torch.randn(3, 3))
    best = max(sorted(Path(folder).glob("round0-*.pt")), key=score)
    weights = torch.load(best)
print((weights @ torch.ones(3)).sum().item())
