"""Microscope fields of differing sizes with round cells on a dim, uneven background."""
import numpy as np


def field(rng):
    h, w = rng.integers(22, 45, 2)
    yy, xx = np.mgrid[:h, :w]
    image = 18 + 10 * yy / h + rng.normal(0, 5, (h, w))
    mask = np.zeros((h, w), np.uint8)
    for _ in range(rng.integers(2, 6)):
        cy, cx, r = rng.uniform(0, h), rng.uniform(0, w), rng.uniform(4, 8)
        d = np.hypot(yy - cy, (xx - cx) * rng.uniform(0.8, 1.2))
        body, rim = d < r - 1.2, np.abs(d - r) <= 1.2
        image[body] += rng.uniform(50, 90)
        image[rim] += rng.uniform(110, 150)
        mask[body] = 1
        mask[rim] = 2
    return image.clip(0, 255).astype(np.uint8), mask


def make(n, seed):
    rng = np.random.default_rng(seed)
    return [field(rng) for _ in range(n)]
