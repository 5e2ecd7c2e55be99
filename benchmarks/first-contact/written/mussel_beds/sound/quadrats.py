"""Photographs of quadrats on a mussel bed, drawn by the computer."""
import numpy as np
import torch


def draw(count, size, seed):
    """Blobs are mussels, rings are limpets; the label says which part of the ground mussels cover."""
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
    images = rng.normal(0.0, 0.25, (count, 1, size, size)).astype(np.float32)
    cover = np.zeros(count, dtype=np.float32)
    for k in range(count):
        ground = np.zeros((size, size), dtype=bool)
        for _ in range(rng.integers(1, 9)):
            cy, cx = rng.uniform(0, size, 2)
            angle, long, short = rng.uniform(0, np.pi), rng.uniform(2.5, 5.0), rng.uniform(1.2, 2.2)
            u = (xx - cx) * np.cos(angle) + (yy - cy) * np.sin(angle)
            v = (yy - cy) * np.cos(angle) - (xx - cx) * np.sin(angle)
            ground |= (u / long) ** 2 + (v / short) ** 2 < 1.0
        images[k, 0][ground] += 1.0
        for _ in range(rng.integers(0, 5)):
            cy, cx = rng.uniform(0, size, 2)
            radius = np.hypot(yy - cy, xx - cx)
            images[k, 0][np.abs(radius - 2.5) < 0.8] += 0.9
        cover[k] = ground.mean()
    return torch.from_numpy(images), torch.from_numpy(cover)
