"""A two-level U-Net and its loss."""

import torch
import torch.nn.functional as F
from torch import nn


def _block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1),
        nn.GroupNorm(4, outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1),
        nn.GroupNorm(4, outputs),
        nn.ReLU(),
    )


class BurnNet(nn.Module):
    def __init__(self, inputs=7, width=16):
        super().__init__()
        self.down = _block(inputs, width)
        self.bottom = _block(width, 2 * width)
        self.lift = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.up = _block(2 * width, width)
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, planes):
        shallow = self.down(planes)
        deep = self.bottom(F.max_pool2d(shallow, 2))
        merged = torch.cat([shallow, self.lift(deep)], dim=1)
        return self.head(self.up(merged)).squeeze(1)


def segmentation_loss(logits, mask):
    """Cross-entropy plus soft Dice: burned pixels are about a quarter of an average scene."""
    entropy = F.binary_cross_entropy_with_logits(logits, mask)
    probability = torch.sigmoid(logits)
    overlap = (probability * mask).sum()
    dice = 1.0 - (2.0 * overlap + 1.0) / (probability.sum() + mask.sum() + 1.0)
    return entropy + 0.5 * dice
