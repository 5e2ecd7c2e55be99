"""Tiles of a satellite scene, rendered by worker processes into shared memory."""
import multiprocessing
from multiprocessing import shared_memory

import numpy as np
from scipy.ndimage import gaussian_filter

SHAPE = (24, 4, 16, 16)      # patches, three bands and the mask, height, width


def render(name, tile, seed):
    block = shared_memory.SharedMemory(name=name)
    patches = np.ndarray(SHAPE, dtype=np.float32, buffer=block.buf)
    rng = np.random.default_rng([seed, tile])
    for patch in patches:
        height = gaussian_filter(rng.normal(size=(16, 16)), 2.5)
        mask = height > 0.05 * rng.normal()
        ground = gaussian_filter(rng.random((3, 16, 16)), (0, 1, 1))
        patch[:3] = np.where(mask, 0.9 - 0.3 * np.abs(height), ground) + rng.normal(0, 0.05, (3, 16, 16))
        patch[3] = mask
    del patches, patch
    block.close()


class Scene:
    def __init__(self, tiles, seed):
        self.seed = seed
        self.blocks = {}
        for tile in range(tiles):
            block = shared_memory.SharedMemory(create=True, size=int(np.prod(SHAPE)) * 4)
            self.blocks[block.name] = block

    def __enter__(self):
        context = multiprocessing.get_context("fork")
        with context.Pool(2) as pool:
            pool.starmap(render, [(name, tile, self.seed) for tile, name in enumerate(self.blocks)])
        return self

    def patches(self):
        parts = []
        for name in self.blocks:
            parts.append(np.ndarray(SHAPE, dtype=np.float32, buffer=self.blocks[name].buf).copy())
        return np.concatenate(parts)

    def __exit__(self, *exception):
        for block in self.blocks.values():
            block.close()
            block.unlink()
