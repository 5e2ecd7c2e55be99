"""Render road surface patches with or without cracks, into arrays that the caller owns."""
import numpy as np

SIZE = 20
KINDS = ("intact", "longitudinal", "transverse", "alligator")


def _walk(rng, img, vertical, depth):
    pos = int(rng.integers(3, SIZE - 3))
    for k in range(SIZE):
        pos = int(np.clip(pos + rng.integers(-1, 2), 0, SIZE - 1))
        if vertical:
            img[k, pos] -= depth
        else:
            img[pos, k] -= depth


def render_batch(rng, images, labels):
    labels[:] = rng.integers(0, len(KINDS), len(labels))
    images[:] = 0.5 + 0.12 * rng.standard_normal(images.shape)
    for img, kind in zip(images[:, 0], labels):
        depth = rng.uniform(0.2, 0.45)
        if kind in (1, 3):
            _walk(rng, img, True, depth)
        if kind in (2, 3):
            _walk(rng, img, False, depth)
