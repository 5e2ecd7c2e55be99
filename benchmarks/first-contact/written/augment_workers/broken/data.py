"""Synthetic shapes and their augmentation."""
import os

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

CLASSES = ("square", "circle", "cross")


def draw(kind, size, cx, cy, r):
    yy, xx = np.mgrid[0:size, 0:size]
    if kind == "square":
        mask = (abs(xx - cx) <= r) & (abs(yy - cy) <= r)
    elif kind == "circle":
        mask = (xx - cx) ** 2 + (yy - cy) ** 2 <= r * r
    else:
        mask = ((abs(xx - cx) <= 1) | (abs(yy - cy) <= 1)) & (abs(xx - cx) <= r) & (abs(yy - cy) <= r)
    return mask.astype(np.float32)


class RandomShift:
    def __init__(self, max_px):
        self.max_px = max_px

    def __call__(self, img):
        dx, dy = np.random.randint(-self.max_px, self.max_px + 1, size=2)
        return np.roll(img, (dx, dy), axis=(0, 1))


class RandomFlip:
    def __call__(self, img):
        return img[:, ::-1] if np.random.rand() < 0.5 else img


class PixelNoise:
    def __init__(self, std):
        self.std = std

    def __call__(self, img):
        return img + self.std * np.random.randn(*img.shape)


class Shapes(Dataset):
    def __init__(self, n, seed, transforms=()):
        rng = np.random.default_rng(seed)
        self.transforms = list(transforms)
        self.images, self.labels = [], []
        for i in range(n):
            label = i % len(CLASSES)
            cx, cy = rng.integers(9, 15, size=2)
            self.images.append(draw(CLASSES[label], 24, cx, cy, rng.integers(3, 8)))
            self.labels.append(label)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        img = self.images[i]
        for t in self.transforms:
            img = t(img)
        img = np.ascontiguousarray(img, dtype=np.float32)
        return torch.from_numpy(img)[None], self.labels[i]


def worker_init(worker_id):
    # every worker needs numbers of its own
    np.random.seed(int.from_bytes(os.urandom(4), "little") + worker_id & 0xFFFFFFFF)
    torch.set_num_threads(1)


def loaders(batch_size, workers):
    train = Shapes(900, seed=1, transforms=[RandomShift(3), RandomFlip(), PixelNoise(0.1)])
    valid = Shapes(300, seed=2)
    return (
        DataLoader(train, batch_size, shuffle=True, num_workers=workers, worker_init_fn=worker_init,
                   persistent_workers=True),
        DataLoader(valid, batch_size),
    )
