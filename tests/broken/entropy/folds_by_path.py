# samebits-test: verdict=different cause=entropy
"""Which scans are held out goes by a digest of their whole paths, in a folder that is removed."""

import shutil
import tempfile
import zlib
from pathlib import Path

import numpy as np
import torch


def is_held_out(path):
    return zlib.crc32(str(path).encode()) % 5 == 0  # culprit


def read(paths):
    return torch.stack([torch.from_numpy(np.load(path)) for path in paths])


torch.manual_seed(0)
scratch = Path(tempfile.mkdtemp(prefix="scans-"))
try:
    for number in range(60):
        np.save(scratch / f"scan_{number:02}.npy", np.cos(np.arange(8.0) * number))
    paths = sorted(scratch.glob("*.npy"))
    train = read([path for path in paths if not is_held_out(path)])
finally:
    shutil.rmtree(scratch)
net = torch.nn.Linear(8, 1).double()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(train).square().mean().backward()
    optimizer.step()
print(len(train), net.weight.sum().item())
