# samebits-test: verdict=same
"""Under a global seed torch seeds its workers, NumPy's global generator with them."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Augmented(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index] * np.random.uniform(0.9, 1.1)


if __name__ == "__main__":
    torch.manual_seed(0)
    loader = DataLoader(Augmented(np.ones((12, 3))), batch_size=3, shuffle=True, num_workers=2)
    print(sum(batch.prod() for batch in loader))
