"""Farmland from above. A scene comes from its number alone."""
import numpy as np


def box_blur(image, times):
    for _ in range(times):
        image = (image + np.roll(image, 1, 0) + np.roll(image, -1, 0) + np.roll(image, 1, 1) + np.roll(image, -1, 1)) / 5
    return image


def render(number, base_seed):
    rng = np.random.default_rng([base_seed, number])
    side = int(rng.integers(96, 320))
    image = box_blur(rng.normal(0.4, 0.5, (side, side)), int(rng.integers(4, 16)))
    mask = np.zeros((side, side), dtype=bool)
    for _ in range(int(rng.integers(2, 7))):
        y, x = rng.integers(0, side - 40, size=2)
        h, w = rng.integers(20, 40, size=2)
        rows = np.sin(np.arange(w) * rng.uniform(1.2, 2.0)) * 0.25
        image[y:y + h, x:x + w] += rows
        mask[y:y + h, x:x + w] = True
    return image.astype(np.float32), mask
