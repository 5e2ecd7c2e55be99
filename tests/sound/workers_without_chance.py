# samebits-test: verdict=same
"""Workers that only compute."""

import torch
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __len__(self):
        return 20

    def __getitem__(self, index):
        return torch.linspace(0, 1, 8).mul(index).sin()


state = torch.zeros(8)
for batch in DataLoader(Waves(), batch_size=5, num_workers=2):
    state = torch.tanh(state + batch.sum(dim=0))
print(state.sum())
