# samebits-test: verdict=same
"""The newest checkpoint is found by the number in its name, not by its date."""

import tempfile
from pathlib import Path

import torch

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for step in (100, 20, 3):
        torch.save(torch.tensor([float(step)]), folder / f"step-{step}.pt")
    latest = max(folder.glob("step-*.pt"), key=lambda p: int(p.stem.split("-")[1]))
    print(torch.load(latest).log())
