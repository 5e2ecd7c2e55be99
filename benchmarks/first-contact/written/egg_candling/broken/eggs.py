"""Draws candled eggs: clear, with an early embryo, or with a blood ring."""
from __future__ import annotations

import multiprocessing.queues

import numpy as np

from slots import SIDE, Layout, Slots

KINDS = ("clear", "embryo", "ring")
YY, XX = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32) / (SIDE - 1) * 2 - 1


def draw_egg(rng: np.random.Generator, kind: int, image: np.ndarray) -> None:
    a, b = rng.uniform(0.65, 0.8), rng.uniform(0.8, 0.95)
    cx, cy = rng.uniform(-0.25, 0.25, 2)
    inside = (XX / a) ** 2 + (YY / b) ** 2 < 1
    radius = np.hypot(XX - cx, YY - cy)
    image[:] = inside * (0.7 + 0.2 * YY)
    if kind == 1:
        angle = np.arctan2(YY - cy, XX - cx)
        veins = np.cos(angle * int(rng.integers(4, 8)) + rng.uniform(0, 6)) > 0.75
        image -= 0.3 * inside * (veins & (radius < 0.4)) + 0.4 * (radius < 0.09)
    elif kind == 2:
        image -= 0.3 * inside * (np.abs(radius - rng.uniform(0.25, 0.4)) < 0.05)
    image += 0.16 * rng.standard_normal((SIDE, SIDE), dtype=np.float32)


def fill(rng: np.random.Generator, images: np.ndarray, labels: np.ndarray) -> None:
    for place, image in enumerate(images):
        labels[place] = rng.integers(0, len(KINDS))
        draw_egg(rng, int(labels[place]), image)


def produce(layout: Layout, name: str, ready: multiprocessing.queues.Queue, batches: int, seed: int) -> None:
    slots = Slots(layout, name)
    for number in range(batches):
        fill(np.random.default_rng((seed, number)), *slots.at(number))
        ready.put(number)
    ready.put(None)
    slots.close()
