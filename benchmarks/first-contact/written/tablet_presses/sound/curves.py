"""Synthetic force curves: a pre-compression and a main peak, changed by worn or sticking punches."""
import lightning.pytorch as pl
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

CONDITIONS = ("good", "sticking", "worn", "underfilled")


def make_curves(count, points, seed):
    rng = np.random.default_rng(seed)
    grid = np.linspace(0, 1, points)
    labels = rng.integers(0, len(CONDITIONS), count)
    curves = np.empty((count, points), dtype=np.float32)
    for row, label in enumerate(labels):
        height = rng.normal(1.0, 0.12) * (0.82 if label == 3 else 1.0)
        width = rng.normal(0.07, 0.008) * (1.2 if label == 2 else 1.0)
        curve = 0.3 * height * np.exp(-(((grid - 0.25) / width) ** 2))
        curve += height * np.exp(-(((grid - 0.6) / width) ** 2))
        if label == 1:
            curve += 0.12 * np.clip(grid - 0.6, 0, None) * rng.uniform(0.5, 1.5)
        curves[row] = curve + rng.normal(0, 0.06, points)
    return curves, labels.astype(np.int64)


class CurveSet(Dataset):
    def __init__(self, curves, labels, augment=False):
        self.curves, self.labels, self.augment = curves, labels, augment

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        curve = torch.from_numpy(self.curves[index]).unsqueeze(0)
        if self.augment:
            shift = int(torch.randint(-3, 4, (1,)))
            curve = torch.roll(curve, shift, dims=-1) * (1 + 0.05 * torch.randn(1))
        return curve, int(self.labels[index])


class CurveModule(pl.LightningDataModule):
    def __init__(self, count, points, batch_size, seed):
        super().__init__()
        self.count, self.points, self.batch_size, self.seed = count, points, batch_size, seed

    def setup(self, stage=None):
        curves, labels = make_curves(self.count, self.points, self.seed)
        first, second = int(0.7 * self.count), int(0.85 * self.count)
        self.train = CurveSet(curves[:first], labels[:first], augment=True)
        self.val = CurveSet(curves[first:second], labels[first:second])
        self.test = CurveSet(curves[second:], labels[second:])

    def train_dataloader(self):
        return DataLoader(self.train, self.batch_size, shuffle=True, num_workers=1, persistent_workers=True)

    def val_dataloader(self):
        return DataLoader(self.val, 128)

    def test_dataloader(self):
        return DataLoader(self.test, 128)
