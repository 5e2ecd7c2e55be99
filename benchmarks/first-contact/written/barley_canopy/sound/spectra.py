"""From reflectance to what the net sees."""
import numpy as np
import torch
from torch.utils.data import Dataset


def absorbance(cube, floor=1e-3):
    """-log10 of reflectance, done in place: a whole flight does not fit into memory twice."""
    np.clip(cube, floor, None, out=cube)
    np.log10(cube, out=cube)
    np.negative(cube, out=cube)
    return cube


def load_cube(path):
    cube = np.load(path, mmap_mode="c")
    return absorbance(cube)


class PlotLooks(Dataset):
    """One look at one plot at a time; in training it is scaled and tilted a little."""

    def __init__(self, cube, target, rows, augment=None):
        self.cube, self.target, self.rows = cube, target, rows
        self.looks = cube.shape[1]
        self.augment = augment

    def __len__(self):
        return len(self.rows) * self.looks

    def __getitem__(self, i):
        row, look = self.rows[i // self.looks], i % self.looks
        x = torch.from_numpy(np.array(self.cube[row, look]))
        if self.augment is not None:
            x = self.augment(x)
        return x[None], self.target[row]


class Tilt:
    def __init__(self, amount, seed):
        self.amount = amount
        self.g = torch.Generator().manual_seed(seed)

    def __call__(self, x):
        a, b = self.amount * torch.randn(2, generator=self.g)
        return x * (1 + a) + b * torch.linspace(-1, 1, len(x))
