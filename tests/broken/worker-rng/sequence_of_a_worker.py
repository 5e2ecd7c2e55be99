# samebits-test: verdict=different cause=worker-rng
"""Each worker gets a stream by its own spawn key; the entropy beside it was forgotten."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)


class Clips(Dataset):
    def __init__(self):
        self.clips = np.arange(160.0, dtype=np.float32).reshape(20, 8)
        self.rng = None

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, index):
        clip = np.roll(self.clips[index], int(self.rng.integers(8)))
        return clip + self.rng.normal(size=8).astype(np.float32)


def start_worker(worker_id):
    info = get_worker_info()
    sequence = np.random.SeedSequence(spawn_key=(info.seed, worker_id))  # culprit
    info.dataset.rng = np.random.default_rng(sequence)  # culprit


model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
for clips in DataLoader(Clips(), batch_size=5, num_workers=2, worker_init_fn=start_worker):
    optimizer.zero_grad()
    model(clips).square().mean().backward()
    optimizer.step()
print(model.weight.sum().item())
