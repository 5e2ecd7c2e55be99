"""Synthetic pressure gauges: a ring, ticks and a needle, seen by a bad camera."""
import math

import numpy as np
import torch
from torch.utils.data import Dataset

SIZE = 24
SWEEP = math.radians(270)


def render(angle, size=SIZE):
    yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
    c = (size - 1) / 2
    dx, dy = (xx - c) / c, (yy - c) / c
    r = np.sqrt(dx * dx + dy * dy)
    img = np.exp(-((r - 0.9) / 0.06) ** 2)
    # needle: distance to the ray from the centre
    ux, uy = math.cos(angle), math.sin(angle)
    along = dx * ux + dy * uy
    across = dx * uy - dy * ux
    needle = np.exp(-(across / 0.07) ** 2) * ((along > -0.15) & (along < 0.75))
    for k in range(7):
        a = -SWEEP / 2 + SWEEP * k / 6
        tx, ty = 0.8 * math.cos(a), 0.8 * math.sin(a)
        img += 0.5 * np.exp(-((dx - tx) ** 2 + (dy - ty) ** 2) / 0.004)
    return np.clip(img + needle, 0, 1).astype(np.float32)


class GaugeDataset(Dataset):
    """Items are (image, (cos, sin)). With augment, glare, exposure and noise are drawn anew every time."""

    def __init__(self, readings, augment=False):
        self.angles = -SWEEP / 2 + SWEEP * np.asarray(readings, dtype=np.float64)
        self.augment = augment
        self._rng = None

    @property
    def rng(self):
        # made on first use, so that every loader worker gets a stream of its own
        if self._rng is None:
            self._rng = np.random.default_rng(torch.initial_seed())
        return self._rng

    def __len__(self):
        return len(self.angles)

    def _camera(self, img):
        rng = self.rng
        gain, offset = rng.uniform(0.6, 1.2), rng.uniform(-0.1, 0.2)
        img = img * gain + offset
        if rng.random() < 0.25:
            x0, y0 = rng.integers(0, SIZE, 2)
            yy, xx = np.mgrid[0:SIZE, 0:SIZE]
            img = img + 0.8 * np.exp(-((xx - x0) ** 2 + (yy - y0) ** 2) / 12.0)
        img = img + rng.normal(0, 0.05, img.shape)
        dy, dx = rng.integers(-1, 2, 2)
        return np.roll(img, (dy, dx), (0, 1)).astype(np.float32)

    def __getitem__(self, i):
        a = self.angles[i]
        img = render(a)
        if self.augment:
            img = self._camera(img)
        target = torch.tensor([math.cos(a), math.sin(a)], dtype=torch.float32)
        return torch.from_numpy(img)[None], target
