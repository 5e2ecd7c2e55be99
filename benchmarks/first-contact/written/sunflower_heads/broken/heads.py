"""Synthetic sunflower heads, rendered by a pool of processes."""
import math

import numpy as np
import torch.multiprocessing as mp

SIZE = 28
GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
_state = {}


def _start(seed):
    worker = mp.current_process()._identity[0]
    _state["rng"] = np.random.default_rng((seed, worker))
    _state["grid"] = np.stack(np.meshgrid(np.arange(SIZE), np.arange(SIZE), indexing="ij"))


def _render(task):
    _, healthy = task
    rng = _state["rng"]
    florets = int(rng.integers(60, 180))
    angle = GOLDEN if healthy else GOLDEN + rng.normal(0.0, 0.06)
    n = np.arange(florets)
    radius = (SIZE / 2 - 2) * np.sqrt(n / florets)
    theta = n * angle + rng.uniform(0, 2 * math.pi)
    y, x = SIZE / 2 + radius * np.sin(theta), SIZE / 2 + radius * np.cos(theta)
    weight = rng.gamma(4.0, 0.25, florets)
    gy, gx = _state["grid"]
    image = np.zeros((SIZE, SIZE))
    for cy, cx, w in zip(y, x, weight):
        image += w * np.exp(-((gy - cy) ** 2 + (gx - cx) ** 2) / 0.8)
    image += rng.normal(0.0, 0.08, image.shape)
    return image.astype(np.float32)


def render_heads(labels, seed, workers):
    tasks = [(i, bool(label)) for i, label in enumerate(labels)]
    with mp.get_context("fork").Pool(workers, initializer=_start, initargs=(seed,)) as pool:
        rendered = list(pool.imap(_render, tasks, chunksize=2))
    images = np.stack(rendered)
    return images
