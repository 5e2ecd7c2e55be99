# samebits-test: verdict=different cause=worker-rng
"""Each worker makes its own NumPy generator the first time it needs one."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Jittered(Dataset):
    def __init__(self, signals):
        self.signals = signals
        self.rng = None

    def __len__(self):
        return len(self.signals)

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng()  # culprit
        return self.signals[index] + self.rng.normal(scale=0.01, size=8)


def main():
    np.random.seed(0)
    torch.manual_seed(0)
    loader = DataLoader(Jittered(np.ones((24, 8))), batch_size=6, num_workers=2)
    energy = [batch.square().sum() for batch in loader]
    print(torch.stack(energy))


if __name__ == "__main__":
    main()
