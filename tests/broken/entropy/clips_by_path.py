# samebits-test: verdict=different cause=entropy
"""Workers of a loader seed the noise of each clip with a digest of its whole path."""

import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        path = self.paths[i]
        rng = np.random.default_rng(zlib.crc32(str(path).encode()))  # culprit
        return torch.from_numpy(np.load(path) + rng.normal(0, 0.1, 8)).float()


torch.manual_seed(0)
net = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
with TemporaryDirectory() as folder:
    paths = [Path(folder, f"clip_{i}.npy") for i in range(16)]
    for i, path in enumerate(paths):
        np.save(path, np.sin(np.arange(8) * i))
    for batch in DataLoader(Clips(paths), batch_size=4, num_workers=2):
        optimizer.zero_grad()
        net(batch).square().mean().backward()
        optimizer.step()
print(net.weight.sum().item())
