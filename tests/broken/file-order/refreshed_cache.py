# samebits-test: verdict=different cause=file-order folder=memory
"""A cache renews its oldest entry in each run: same files, another order on disk."""

import os
from pathlib import Path

import torch

cache = Path("cache")
cache.mkdir(exist_ok=True)
if not any(cache.iterdir()):
    for k in range(30):
        (cache / f"part{k:02d}.txt").write_text(f"{k * 0.5}")
else:
    oldest = min(sorted(cache.iterdir()), key=os.path.getmtime)
    renewed = Path(f"renewed.{os.getpid()}")
    renewed.write_text(oldest.read_text())
    renewed.replace(oldest)

names = os.listdir(cache)  # culprit
x = torch.tensor([float((cache / name).read_text()) for name in names])
weights = torch.linspace(0, 1, len(x))
print((weights * x).sum().item())
