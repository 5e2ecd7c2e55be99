# samebits-test: verdict=different cause=worker-rng
"""A worker_init_fn from a forum, meant to give each worker other numbers."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
random.seed(0)


def worker_init(worker_id):
    random.seed()  # culprit


class Crops(Dataset):
    def __init__(self):
        self.image = torch.arange(256.0).reshape(16, 16)

    def __len__(self):
        return 20

    def __getitem__(self, index):
        top, left = random.randrange(9), random.randrange(9)
        return self.image[top : top + 8, left : left + 8] + index


model = nn.Linear(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
for crops in DataLoader(Crops(), batch_size=5, num_workers=2, worker_init_fn=worker_init):
    loss = model(crops.flatten(1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
