"""Synthetic images of knitted cloth: clean, dropped stitch, ladder, oil stain."""

import numpy as np

KINDS = ("clean", "dropped", "ladder", "stain")


def knit(rng, size):
    rows, columns = np.mgrid[0:size, 0:size]
    pitch = rng.uniform(3.5, 5.0)
    tilt = rng.uniform(-0.15, 0.15)
    loops = np.sin(2 * np.pi * (columns + tilt * rows) / pitch) * np.cos(2 * np.pi * rows / (1.3 * pitch))
    return 0.5 + 0.15 * loops


def spoil(image, kind, rng):
    size = image.shape[0]
    rows, columns = np.mgrid[0:size, 0:size]
    y, x = rng.uniform(6, size - 6, 2)
    if kind == "dropped":
        image -= 0.8 * np.exp(-((rows - y) ** 2 + (columns - x) ** 2) / 8.0)
    elif kind == "ladder":
        image -= 0.45 * np.exp(-((columns - x) ** 2) / 2.0) * (rows > y - 8)
    elif kind == "stain":
        radius = rng.uniform(4.0, 7.0)
        image *= 1.0 - 0.6 * (((rows - y) ** 2 + (columns - x) ** 2) < radius**2)
    return image


def weave(count, size, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(KINDS), count)
    images = np.stack([spoil(knit(rng, size), KINDS[label], rng) for label in labels])
    images += rng.normal(0.0, 0.05, images.shape)
    return images.astype(np.float32), labels.astype(np.int64)
