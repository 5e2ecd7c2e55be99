# samebits-test: verdict=different cause=unseeded-rng detail=python
"""A dataset flips images by Python's generator; only torch is seeded."""

import random

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Flipped(Dataset):
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        if random.random() < 0.5:  # culprit
            image = image.flip(-1)
        return image, index % 2


torch.manual_seed(0)
loader = DataLoader(Flipped(torch.rand(64, 1, 8, 8)), batch_size=16)
model = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for images, labels in loader:
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
