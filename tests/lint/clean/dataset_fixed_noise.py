import numpy as np
from torch.utils.data import Dataset


class Fixed(Dataset):
    def __init__(self, rows, seed):
        self.rng = np.random.default_rng(seed)
        self.rows = rows + self.rng.normal(size=len(rows))

    def __getitem__(self, index):
        return self.rows[index]
