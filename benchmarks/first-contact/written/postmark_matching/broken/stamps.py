"""Synthetic impressions of postmarks: every office has its ring, bars and slant."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np

SIZE = 20


class Office:
    def __init__(self, number):
        rng = np.random.default_rng([44, number])
        self.number = number
        self.radius = rng.uniform(5, 8.5)
        self.width = rng.uniform(0.6, 1.6)
        self.bars = int(rng.integers(2, 6))
        self.slant = rng.uniform(-0.8, 0.8)

    def impression(self, rng):
        ys, xs = np.mgrid[:SIZE, :SIZE] - (SIZE - 1) / 2 + rng.normal(0, 0.7, (2, 1, 1))
        ring = np.exp(-(((np.hypot(xs, ys) - self.radius) / self.width) ** 2))
        across = ys * np.cos(self.slant) + xs * np.sin(self.slant)
        bars = 0.5 + 0.5 * np.cos(across * self.bars * 0.55)
        ink = np.maximum(ring, 0.7 * bars * (np.hypot(xs, ys) < self.radius))
        return (ink * rng.uniform(0.5, 1.0) + rng.normal(0, 0.15, ink.shape)).astype(np.float32)


def render_office(job):
    number, copies, seed = job
    office, rng = Office(number), np.random.default_rng([seed, number])
    return np.stack([office.impression(rng) for _ in range(copies)])


def render(offices, copies, seed):
    with ThreadPoolExecutor(2) as pool:
        return np.stack(list(pool.map(render_office, [(k, copies, seed) for k in range(offices)])))
