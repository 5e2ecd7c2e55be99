"""Pinned-beetle tray photographs: rendering, dataset and batch assembly."""
import os

import numpy as np
import torch
from torch.utils.data import Dataset

SIDE = 28


def render(rng, species):
    """A dark ellipse with species-dependent elongation and stripes."""
    yy, xx = np.mgrid[0:SIDE, 0:SIDE] - (SIDE - 1) / 2
    angle = rng.uniform(-0.5, 0.5)
    u = xx * np.cos(angle) + yy * np.sin(angle)
    v = -xx * np.sin(angle) + yy * np.cos(angle)
    body = (u / (5 + species)) ** 2 + (v / (10 - species)) ** 2 < 1
    stripes = 0.5 + 0.5 * np.sin(v * (0.6 + 0.3 * species))
    image = 0.9 - body * (0.3 + 0.4 * stripes) + rng.normal(0, 0.08, (SIDE, SIDE))
    return np.clip(image, 0, 1).astype(np.float32)


class TrayDataset(Dataset):
    def __init__(self, count, species, seed):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, species, count)
        self.images = np.stack([render(rng, s) for s in self.labels])

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], int(self.labels[index])


class TrayCollate:
    """Joins pictures to a batch; each gets its own shift, exposure and pin shadow."""

    def __init__(self, seed, shift=3, augment=True):
        self.seed = seed
        self.shift = shift
        self.augment = augment
        self._rng = None

    def rng(self):
        if self._rng is None:
            self._rng = np.random.default_rng([self.seed, os.getpid()])
        return self._rng

    def disturb(self, image):
        rng = self.rng()
        dy, dx = rng.integers(-self.shift, self.shift + 1, 2)
        image = np.roll(image, (dy, dx), axis=(0, 1)) * rng.uniform(0.8, 1.2)
        if rng.random() < 0.3:
            col = rng.integers(0, SIDE - 2)
            image[:, col:col + 2] *= 0.6
        if rng.random() < 0.5:
            image = image[:, ::-1]
        return image

    def __call__(self, items):
        images, labels = zip(*items)
        if self.augment:
            images = [self.disturb(image) for image in images]
        batch = torch.from_numpy(np.ascontiguousarray(np.stack(images), dtype=np.float32)).unsqueeze(1)
        return batch, torch.tensor(labels)


def usable_workers(wanted):
    return max(1, min(wanted, os.cpu_count() or 1))
