"""Drawn patches of quilts, with wear."""

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import Dataset

PATTERNS = ["log_cabin", "nine_patch", "pinwheel", "flying_geese", "rail_fence"]
SIZE = 24


def draw(pattern, rng):
    y, x = np.mgrid[0:SIZE, 0:SIZE] / SIZE
    cells = rng.integers(2, 4)
    u, v = (x * cells) % 1.0, (y * cells) % 1.0
    if pattern == "log_cabin":
        mask = (np.maximum(np.abs(u - 0.5), np.abs(v - 0.5)) * 6).astype(int) % 2
    elif pattern == "nine_patch":
        mask = ((u * 3).astype(int) + (v * 3).astype(int)) % 2
    elif pattern == "pinwheel":
        mask = ((u > v) ^ (u + v > 1)) ^ (u > 0.5)
    elif pattern == "flying_geese":
        mask = np.abs(u - 0.5) * 2 < v
    else:
        mask = ((u + v) * 3).astype(int) % 2
    dark, light = rng.uniform(0.0, 0.4, 3), rng.uniform(0.6, 1.0, 3)
    image = np.where(mask[..., None] > 0, dark, light)
    return image.transpose(2, 0, 1).astype(np.float32)


class QuiltPatches(Dataset):
    def __init__(self, n, seed, curriculum=None):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, len(PATTERNS), size=n)
        self.images = torch.tensor(np.stack([draw(PATTERNS[k], rng) for k in labels]))
        self.labels = torch.tensor(labels)
        self.curriculum = curriculum

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index]
        if self.curriculum is not None:
            image = self.wear(image, self.curriculum.strength)
        return image, self.labels[index]

    def wear(self, image, strength):
        """Turn, shift, fade and soil a patch."""
        angle = 0.6 * strength * torch.randn(())
        turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()]).view(2, 2)
        grid = F.affine_grid(F.pad(turn, (0, 1))[None], (1, *image.shape), align_corners=False)
        image = F.grid_sample(image[None], grid, padding_mode="reflection", align_corners=False)[0]
        shift = torch.randint(-3, 4, (2,)).tolist()
        image = image.roll(shift, dims=(1, 2))
        fade = 1.0 - 0.6 * strength * torch.rand(3, 1, 1)
        stain = strength * torch.randn(image.shape)
        return (image - 0.5) * fade + 0.5 + 0.4 * stain
