"""Synthetic quadrat photographs with a bleaching score."""
import numpy as np
import torch
from torch.utils.data import Dataset


def render(count, size, seed):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:size, 0:size] / size
    images = np.empty((count, 3, size, size), np.float32)
    scores = rng.integers(0, 4, count)
    for i in range(count):
        base = np.array([0.25, 0.35, 0.40], np.float32)
        image = np.broadcast_to(base[:, None, None], (3, size, size)).copy()
        for _ in range(6):
            cx, cy, radius = rng.uniform(0, 1), rng.uniform(0, 1), rng.uniform(0.08, 0.25)
            mask = (xx - cx) ** 2 + (yy - cy) ** 2 < radius ** 2
            white = scores[i] / 3.0 * rng.uniform(0.7, 1.0)
            colour = (1 - white) * np.array([0.55, 0.40, 0.20]) + white * np.array([0.95, 0.95, 0.90])
            image[:, mask] = colour[:, None]
        images[i] = image + rng.normal(0, 0.03, image.shape)
    return images, scores.astype(np.int64)


class Quadrats(Dataset):
    def __init__(self, images, scores, transforms=()):
        self.images, self.scores, self.transforms = images, scores, transforms

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].copy()
        for transform in self.transforms:
            image = transform(image)
        return torch.from_numpy(np.ascontiguousarray(image)), int(self.scores[index])
