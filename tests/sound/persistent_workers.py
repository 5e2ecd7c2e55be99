# samebits-test: verdict=same
"""Workers that live on from epoch to epoch, all seeded by torch."""

import torch
from torch.utils.data import DataLoader, Dataset


class Masked(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        return (torch.rand(5) < 0.5).float() * index


if __name__ == "__main__":
    torch.manual_seed(1)
    loader = DataLoader(
        Masked(), batch_size=4, shuffle=True, num_workers=2, persistent_workers=True
    )
    state = torch.zeros(5)
    for _ in range(2):
        for batch in loader:
            state = torch.tanh(state + batch.mean(dim=0))
    print(state)
