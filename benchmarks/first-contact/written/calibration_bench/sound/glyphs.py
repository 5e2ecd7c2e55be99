"""Glyphs of strokes on a 12 x 12 grid, blurred by noise, shifts and missing pixels."""
import numpy as np
import torch

CLASSES, SIDE = 6, 12
SHIFTS = {"clean": {}, "noisy": {"noise": 0.9}, "moved": {"move": 2}, "holes": {"drop": 0.35}}


def shapes():
    rng = np.random.default_rng(606)
    out = np.zeros((CLASSES, SIDE, SIDE), np.float32)
    for glyph in out:
        at = rng.integers(3, SIDE - 3, 2)
        for _ in range(14):
            glyph[tuple(at)] = 1
            at = np.clip(at + rng.integers(-1, 2, 2), 1, SIDE - 2)
    return out


def draw(n, seed, noise=0.6, move=1, drop=0.1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, n)
    x = shapes()[y]
    for k in range(n):
        x[k] = np.roll(x[k], rng.integers(-move, move + 1, 2), (0, 1))
    x *= rng.random(x.shape) >= drop
    x += rng.normal(0, noise, x.shape)
    return torch.from_numpy(x)[:, None], torch.from_numpy(y)
