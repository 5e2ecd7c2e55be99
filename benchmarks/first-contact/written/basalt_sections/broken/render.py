"""Renders thin sections of basalt into shards, several processes at a time."""
import multiprocessing as mp
import shutil
import uuid

import numpy as np

TEXTURES = ("ophitic", "vesicular", "glassy", "trachytic")
SIDE, PER_SHARD = 28, 48
YY, XX = np.mgrid[0:SIDE, 0:SIDE] / SIDE - 0.5


def render(rng, kind):
    image = 0.5 + 0.12 * rng.standard_normal((SIDE, SIDE))
    if kind == 2:
        return image
    slope = rng.uniform(0, np.pi)
    for _ in range(8):
        x, y = rng.uniform(-0.5, 0.5, 2)
        if kind == 1:
            image -= 0.35 * (np.hypot(XX - x, YY - y) < rng.uniform(0.04, 0.1))
            continue
        a = slope + rng.normal(0, 0.1) if kind == 3 else rng.uniform(0, np.pi)
        u, v = np.cos(a) * (XX - x) + np.sin(a) * (YY - y), np.cos(a) * (YY - y) - np.sin(a) * (XX - x)
        image += 0.35 * ((np.abs(u) < 0.2) & (np.abs(v) < 0.03))
    return image


def write_shard(job):
    folder, number, seed = job
    rng = np.random.default_rng((seed, number))
    kinds = rng.integers(0, len(TEXTURES), PER_SHARD)
    images = np.stack([render(rng, kind) for kind in kinds]).astype(np.float32)
    name = f"part-{uuid.uuid4()}.npz"
    np.savez(folder / name, images=images, kinds=kinds)


def render_all(folder, shards, seed):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with mp.get_context("fork").Pool(2) as pool:
        pool.map(write_shard, [(folder, number, seed) for number in range(shards)], chunksize=1)
    return folder
