"""Renders slices of a rock core with spiral shells in it, and files them one by one."""
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.ndimage import gaussian_filter

SIZE = 48


def render(seed, index):
    rng = np.random.default_rng([seed, index])
    yy, xx = np.mgrid[:SIZE, :SIZE]
    cy, cx = rng.uniform(14, SIZE - 14, 2)
    r = np.hypot(yy - cy, xx - cx)
    angle = np.arctan2(yy - cy, xx - cx)
    shell = (np.sin(r * 1.3 - angle) > 0.2) & (r < rng.uniform(7, 13))
    rock = gaussian_filter(rng.standard_normal((SIZE, SIZE)), 1.5) * 2
    density = rock + shell * rng.uniform(0.6, 1.4) + rng.normal(0, 0.2, (SIZE, SIZE))
    return density.astype(np.float32), shell.astype(np.float32)


def file_slice(folder, seed, index):
    density, mask = render(seed, index)
    path = folder / f"slice-{index:05d}.npz"
    partial = path.with_suffix(".part")
    with open(partial, "wb") as handle:
        np.savez(handle, density=density, mask=mask)
    os.replace(partial, path)
    return path


def scan_core(folder, count, seed):
    with ThreadPoolExecutor(max_workers=4) as pool:
        return list(pool.map(lambda index: file_slice(folder, seed, index), range(count)))
