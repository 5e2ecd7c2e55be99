"""Transforms that act on an image and its mask together (both C x H x W)."""
import random

import torch


class Compose:
    def __init__(self, steps):
        self.steps = list(steps)

    def __call__(self, image, mask):
        for step in self.steps:
            image, mask = step(image, mask)
        return image, mask


class RandomCrop:
    def __init__(self, size):
        self.size = size

    def __call__(self, image, mask):
        h, w = image.shape[-2:]
        top = random.randint(0, h - self.size)
        left = random.randint(0, w - self.size)
        window = (slice(None), slice(top, top + self.size), slice(left, left + self.size))
        return image[window], mask[window]


class RandomFlip:
    def __init__(self, p):
        self.p = p

    def __call__(self, image, mask):
        for dim in (-1, -2):
            if random.random() < self.p:
                image, mask = image.flip(dim), mask.flip(dim)
        return image, mask


class GainJitter:
    """Multiply the intensities by a factor close to one; the mask stays."""

    def __init__(self, spread):
        self.spread = spread

    def __call__(self, image, mask):
        gain = 1.0 + self.spread * (2.0 * torch.rand(()) - 1.0)
        return image * gain, mask
