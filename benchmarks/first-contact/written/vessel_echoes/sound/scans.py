"""Synthetic ultrasound cross-sections of vessels."""
import math

import torch
from torch.utils.data import Dataset

SIDE = 40


class Vessels(Dataset):
    """Draws a vessel, then speckle of the strength found in `speckle`, which loader workers share."""

    def __init__(self, count: int, speckle: torch.Tensor, seed: int):
        self.speckle = speckle
        shapes = torch.Generator().manual_seed(seed)
        self.centre = torch.rand(count, 2, generator=shapes) * 16 + 12
        self.axes = torch.rand(count, 2, generator=shapes) * 5 + 4
        self.tilt = torch.rand(count, generator=shapes) * math.pi
        self.rows, self.cols = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")

    def __len__(self):
        return len(self.tilt)

    def __getitem__(self, index):
        dy, dx = self.rows - self.centre[index, 0], self.cols - self.centre[index, 1]
        c, s = torch.cos(self.tilt[index]), torch.sin(self.tilt[index])
        u, v = (c * dx + s * dy) / self.axes[index, 0], (c * dy - s * dx) / self.axes[index, 1]
        mask = (u * u + v * v < 1).float()
        echo = 0.8 - 0.6 * mask
        grain = torch.randn(2, SIDE, SIDE).square().sum(0).sqrt() - 1.25
        image = echo * (1 + self.speckle * grain)
        if torch.rand(()) < 0.5:
            image, mask = image.flip(1), mask.flip(1)
        return image[None], mask[None]
