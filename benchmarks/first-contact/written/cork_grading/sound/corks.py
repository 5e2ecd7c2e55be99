"""Synthetic line-scan images of natural cork stoppers in four visual grades."""
import numpy as np
import torch
from torch.utils.data import Dataset

GRADES = ("extra", "first", "second", "reject")
SIZE = 24


def render(rng, grade):
    rows = np.linspace(0, 3 * np.pi, SIZE)[:, None]
    img = 0.65 + 0.05 * np.sin(rows + rng.uniform(0, 6)) + rng.normal(0, 0.03, (SIZE, SIZE))
    for _ in range(1 + 3 * grade + int(rng.integers(0, 3))):
        r, c = rng.integers(0, SIZE, 2)
        h, w = rng.integers(1, 4), rng.integers(1, 3)
        img[r:r + h, c:c + w] -= rng.uniform(0.2, 0.5)
    return img.clip(0, 1).astype(np.float32)


class CorkImages(Dataset):
    """Images with lighting and wear disturbances, as strong as the curriculum says."""

    def __init__(self, count, seed, curriculum=None):
        rng = np.random.default_rng(seed)
        self.grades = rng.integers(0, len(GRADES), count)
        self.images = torch.from_numpy(np.stack([render(rng, int(g)) for g in self.grades]))
        self.curriculum = curriculum

    def __len__(self):
        return len(self.grades)

    def __getitem__(self, i):
        img = self.images[i]
        if self.curriculum is not None:
            img = self._disturb(img, self.curriculum.strength())
        return img.unsqueeze(0), int(self.grades[i])

    @staticmethod
    def _disturb(img, strength):
        if torch.rand(()) < 0.5:
            img = img.flip(1)
        light = torch.linspace(-1, 1, SIZE) * torch.randn(()) * 0.3
        return (img + strength * (light + 0.12 * torch.randn(SIZE, SIZE))).clamp(0, 1)
