"""Renders thin slices of quartz with needles, bubbles or twin planes."""
import numpy as np
import torch

KINDS = ("needles", "bubbles", "twinned")
SIDE = 24
YY, XX = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) / SIDE - 0.5


def draw(rng, kind):
    image = 0.6 + 0.1 * rng.standard_normal((SIDE, SIDE))
    if kind == 0:
        for _ in range(rng.integers(2, 6)):
            a, c = rng.uniform(0, np.pi), rng.uniform(-0.3, 0.3)
            image -= 0.4 * (np.abs(np.cos(a) * XX + np.sin(a) * YY - c) < 0.02)
    elif kind == 1:
        for _ in range(rng.integers(2, 6)):
            x, y = rng.uniform(-0.4, 0.4, 2)
            image -= 0.4 * (np.abs(np.hypot(XX - x, YY - y) - rng.uniform(0.05, 0.12)) < 0.025)
    else:
        a = rng.uniform(0, np.pi)
        image += 0.2 * np.sign(np.cos(a) * XX + np.sin(a) * YY)
    return image


def make_grains(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(KINDS), n)
    images = np.stack([draw(rng, kind) for kind in labels]).astype(np.float32)
    return torch.from_numpy(images)[:, None], torch.from_numpy(labels)
