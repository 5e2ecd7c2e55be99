import numpy as np
from torch.utils.data import Dataset


class Noisy(Dataset):
    def __init__(self, rows, seed):
        self.rows, self.seed, self.epoch = rows, seed, 0

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        rng = np.random.default_rng((self.seed, self.epoch, index))
        return self.rows[index] + rng.normal()
