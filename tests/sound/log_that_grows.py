# samebits-test: verdict=same
"""Each run appends to a log that no run reads."""

from pathlib import Path

import torch

torch.manual_seed(0)
loss = torch.rand(10).mean()
with Path("losses.log").open("a") as log:
    log.write(f"{loss.item()}\n")
