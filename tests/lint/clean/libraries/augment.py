"""Augmentations for our image pipeline."""

import random
import numpy as np
import torch
from torchvision.transforms import functional as F

log = __import__("logging").getLogger(__name__)
DEFAULTS = dict(p=0.5)
registry = {}


def register(cls):
    registry[cls.__name__] = cls
    return cls


@register
class RandomFlip:
    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, img):
        if random.random() < self.p:
            return F.hflip(img)
        return img


@register
class Jitter:
    def __call__(self, img):
        return img + torch.randn_like(img) * 0.1


@register
class Cutout:
    def __call__(self, img):
        y = np.random.randint(img.shape[1])
        img[:, y : y + 8] = 0
        return img
