import math

import numpy as np
import torch

CLASSES = ("rounded", "subangular", "angular", "bladed")
SIZE = 20


def outline(kind: int, angles: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    corners = (2, 3, 5, 2)[kind]
    edge = (0.05, 0.10, 0.17, 0.32)[kind] * rng.uniform(0.6, 1.3)
    radius = 0.6 + edge * np.cos(corners * angles + rng.uniform(0, 2 * math.pi))
    for harmonic in range(3, 9):
        radius += rng.normal(0, 0.02) * np.cos(harmonic * angles + rng.uniform(0, 2 * math.pi))
    return radius


def draw(kind: int, rng: np.random.Generator) -> np.ndarray:
    """A pebble in the light of a lamp from one side, on gravel."""
    axis = np.linspace(-1, 1, SIZE)
    x, y = np.meshgrid(axis - rng.normal(0, 0.06), axis - rng.normal(0, 0.06))
    inside = np.hypot(x, y) < outline(kind, np.arctan2(y, x), rng)
    lamp = rng.uniform(0, 2 * math.pi)
    shade = 0.6 + 0.25 * (x * math.cos(lamp) + y * math.sin(lamp))
    return np.where(inside, shade, 0.3) + rng.normal(0, 0.12, (SIZE, SIZE))


def collect(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(seed)
    kinds = rng.integers(len(CLASSES), size=count)
    images = np.stack([draw(int(kind), rng) for kind in kinds]).astype(np.float32)
    return torch.from_numpy(images)[:, None] - 0.45, torch.from_numpy(kinds)
