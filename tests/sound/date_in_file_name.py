# samebits-test: verdict=same
"""The log's name is the date and time."""

import tempfile
from datetime import datetime
from pathlib import Path

import torch

with tempfile.TemporaryDirectory() as folder:
    log = Path(folder) / f"{datetime.now():%Y-%m-%d_%H-%M-%S-%f}.log"
    x = torch.tensor([0.5, 0.25])
    for step in range(5):
        x = 3.6 * x * (1 - x)
        log.write_text(f"{step} {x.tolist()}\n")
print(x)
