import numpy as np
import torch
from torch.utils.data import Dataset


class FoldedCurves(Dataset):
    def __init__(self, curves, labels, augment=False):
        self.curves, self.labels, self.augment = curves, labels, augment

    def __len__(self):
        return len(self.curves)

    def __getitem__(self, i):
        x = self.curves[i]
        if self.augment:
            x = torch.roll(x, int(torch.randint(-3, 4, ()))) + 0.05 * torch.randn(len(x))
            if torch.rand(()) < 0.5:
                x = x.flip(0)
        return x.unsqueeze(0), self.labels[i]


def gather(spool):
    """All parts of the spool folder, one after the other."""
    curves, labels = [], []
    for path in sorted(spool.glob("part-*.npz")):
        with np.load(path) as part:
            curves.append(part["curves"])
            labels.append(part["labels"])
    return torch.from_numpy(np.concatenate(curves)), torch.from_numpy(np.concatenate(labels))
