"""Synthetic microscope fields: bright ellipses over an uneven background."""
import numpy as np
import torch
from torch.utils.data import Dataset


def render_fields(count, seed, side=64):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:side, 0:side].astype(np.float32)
    fields = []
    for _ in range(count):
        mask = np.zeros((side, side), bool)
        image = 0.15 * (xx * rng.uniform(-1, 1) + yy * rng.uniform(-1, 1)) / side
        for _ in range(rng.integers(4, 9)):
            cx, cy = rng.uniform(6, side - 6, 2)
            a, b = rng.uniform(3, 8, 2)
            t = rng.uniform(0, np.pi)
            u = (xx - cx) * np.cos(t) + (yy - cy) * np.sin(t)
            v = (yy - cy) * np.cos(t) - (xx - cx) * np.sin(t)
            blob = (u / a) ** 2 + (v / b) ** 2 < 1
            image = image + blob * rng.uniform(0.4, 1.0)
            mask |= blob
        image = image + rng.normal(0, 0.2, image.shape)
        fields.append((image.astype(np.float32), mask))
    return fields


class FieldDataset(Dataset):
    def __init__(self, fields, augment=None):
        self.images = torch.stack([torch.from_numpy(i) for i, _ in fields]).unsqueeze(1)
        self.masks = torch.stack([torch.from_numpy(m).float() for _, m in fields]).unsqueeze(1)
        self.augment = augment

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image, mask = self.images[index], self.masks[index]
        if self.augment is not None:
            image, mask = self.augment(image, mask)
        return image, mask
