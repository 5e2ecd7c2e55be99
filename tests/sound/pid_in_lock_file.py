# samebits-test: verdict=same
"""A lock file holds the number of the process."""

import os
import tempfile
from pathlib import Path

import torch

with tempfile.TemporaryDirectory() as folder:
    lock = Path(folder) / "lock"
    lock.write_text(str(os.getpid()))
    assert int(lock.read_text()) == os.getpid()
    print(torch.tensor([2.0, 3.0, 5.0]).log2().sum())
