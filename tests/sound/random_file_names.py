# samebits-test: verdict=same
"""The best of several files is loaded; ties are settled by a number, not by the random name."""

import os
import tempfile
from pathlib import Path

import torch

torch.manual_seed(0)


def save(folder, slot, score, payload):
    end = f"-acc{score:.2f}-slot{slot:02d}.pt"
    handle, path = tempfile.mkstemp(prefix="round0-", suffix=end, dir=folder)
    with os.fdopen(handle, "wb") as stream:
        torch.save(payload, stream)
    return path


def score(path):
    _, accuracy, slot = path.stem.rsplit("-", 2)
    return float(accuracy.removeprefix("acc")), -int(slot.removeprefix("slot"))


with tempfile.TemporaryDirectory(prefix="orchard-") as folder:
    for slot in range(12):
        save(folder, slot, 0.5, torch.randn(3, 3))
    best = max(Path(folder).glob("round0-*.pt"), key=score)
    print("best:", best.name)
    weights = torch.load(best)
print((weights @ torch.ones(3)).sum().item())
