"""Tiles of the scenes: decoding, a bounded store of decoded tiles, and a sampler that makes use of what is in it."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

TILE = 32


class TileKey(NamedTuple):
    scene: str
    row: int
    col: int


def list_tiles(scenes, size):
    per_side = size // TILE
    return [TileKey(scene, row, col) for scene in scenes for row in range(per_side) for col in range(per_side)]


def decode(archive, key):
    """Reflectances, the normalized burn ratio, and the mask of one tile."""
    rows = slice(key.row * TILE, (key.row + 1) * TILE)
    cols = slice(key.col * TILE, (key.col + 1) * TILE)
    window = np.array(archive[:, rows, cols])
    bands = window[:-1].astype(np.float32) / 10000.0
    nir, swir = bands[3], bands[5]
    ratio = (nir - swir) / (nir + swir + 1e-4)
    planes = np.concatenate([bands * 4.0 - 0.6, ratio[None]])
    mask = window[-1].astype(np.float32)
    return torch.from_numpy(planes), torch.from_numpy(mask)


class TileStore:
    """Decoded tiles, at most `capacity` of them. Tiles of the batch being assembled are pinned: a batch that evicted
    its own members would decode them twice."""

    def __init__(self, folder, capacity):
        self.folder = Path(folder)
        self.capacity = capacity
        self.hits = 0
        self.misses = 0
        self._archives = {}
        self._tiles = {}
        self._pinned = set()

    def __contains__(self, key):
        return key in self._tiles

    def __len__(self):
        return len(self._tiles)

    def _archive(self, scene):
        if scene not in self._archives:
            self._archives[scene] = np.load(self.folder / f"{scene}.npy", mmap_mode="r")
        return self._archives[scene]

    def _evict(self):
        victim = next(iter(self._tiles.keys() - self._pinned))
        del self._tiles[victim]

    def _get(self, key):
        if key in self._tiles:
            self.hits += 1
            return self._tiles[key]
        self.misses += 1
        tile = decode(self._archive(key.scene), key)
        if len(self._tiles) >= self.capacity:
            self._evict()
        self._tiles[key] = tile
        return tile

    def batch(self, keys):
        self._pinned = set(keys)
        tiles = [self._get(key) for key in keys]
        self._pinned = set()
        return torch.stack([planes for planes, _ in tiles]), torch.stack([mask for _, mask in tiles])

    def hit_rate(self):
        return self.hits / max(1, self.hits + self.misses)


class HoldoverSampler:
    """Every tile once per epoch, in random order, but those still in the store from the epoch before come first."""

    def __init__(self, keys, store, batch_size, seed):
        self.keys = list(keys)
        self.store = store
        self.batch_size = batch_size
        self.generator = torch.Generator().manual_seed(seed)

    def epoch(self):
        permutation = torch.randperm(len(self.keys), generator=self.generator).tolist()
        order = [self.keys[index] for index in permutation]
        held = [key for key in order if key in self.store]
        fresh = [key for key in order if key not in self.store]
        order = held + fresh
        for start in range(0, len(order), self.batch_size):
            yield order[start : start + self.batch_size]
