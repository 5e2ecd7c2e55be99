# samebits-test: verdict=same
"""A uuid names the folder of the run, and nothing else."""

import tempfile
import uuid
from pathlib import Path

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
with tempfile.TemporaryDirectory() as root:
    folder = Path(root) / f"run-{uuid.uuid4()}"
    folder.mkdir()
    torch.save(model.state_dict(), folder / "model.pt")
    model.load_state_dict(torch.load(folder / "model.pt"))
print(model(torch.ones(1, 3)).item())
