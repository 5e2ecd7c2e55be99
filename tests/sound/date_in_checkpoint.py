# samebits-test: verdict=same
"""A checkpoint holds the date of its making beside the tensors."""

import tempfile
from datetime import datetime

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 2)
with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/checkpoint.pt"
    torch.save({"model": model.state_dict(), "made": datetime.now().isoformat()}, path)
    print("made", torch.load(path)["made"])
print(model.weight.sum().item())
