"""Draws photographs of worn coins. Drawing is slow, so that a pool of processes does it."""
import multiprocessing as mp
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

SIDE = 40
DENOMINATIONS = ("penny", "groat", "shilling", "crown", "florin")

_grid = None
_rng = None


@dataclass(frozen=True)
class Coin:
    index: int
    denomination: int
    heads: bool
    wear: float
    copies: int


def catalogue(count, seed):
    rng = np.random.default_rng(seed)
    coins = []
    for i in range(count):
        coins.append(Coin(
            index=i,
            denomination=int(rng.integers(len(DENOMINATIONS))),
            heads=bool(rng.random() < 0.5),
            wear=float(rng.beta(2, 3)),
            copies=int(rng.integers(1, 4)),
        ))
    return coins


def _start(side, seed):
    global _grid, _rng
    axis = np.linspace(-1.0, 1.0, side * 3)
    _grid = np.meshgrid(axis, axis, indexing="ij")
    _rng = np.random.default_rng(seed)


def _face(coin):
    """The relief of a new coin, three times as large as the photograph."""
    y, x = _grid
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    size = 0.62 + 0.07 * coin.denomination
    disc = (radius < size).astype(float)
    rim = np.exp(-((radius - 0.94 * size) / 0.03) ** 2)
    if coin.heads:
        motif = np.exp(-(((x + 0.05) / 0.22) ** 2 + ((y + 0.08) / 0.3) ** 2) ** 2)
        motif += 0.6 * np.exp(-((x / 0.3) ** 2 + ((y - 0.33) / 0.1) ** 2) ** 2)
    else:
        petals = 3 + coin.denomination
        motif = np.clip(np.cos(petals * angle), 0, None) * np.exp(-((radius - 0.3) / 0.16) ** 2)
    return disc * (0.35 + 0.4 * rim + 0.5 * motif)


def _shot(face, coin, rng):
    scratches = ndimage.gaussian_filter(rng.standard_normal(face.shape), (0.8, 6.0))
    relief = ndimage.gaussian_filter(face, 0.5 + 3.5 * coin.wear) + 0.5 * coin.wear * scratches * (face > 0)
    relief = ndimage.rotate(relief, rng.uniform(-25, 25), reshape=False, order=1)
    relief = ndimage.shift(relief, rng.uniform(-6, 6, size=2), order=1)
    light = rng.uniform(0, 2 * np.pi)
    gy, gx = np.gradient(relief)
    shade = relief + 3.0 * (np.cos(light) * gx + np.sin(light) * gy)
    small = shade.reshape(SIDE, 3, SIDE, 3).mean(axis=(1, 3))
    return small + rng.normal(0, 0.04, small.shape)


def photograph(coin):
    face = _face(coin)
    shots = [_shot(face, coin, _rng) for _ in range(coin.copies)]
    return coin.index, np.stack(shots).astype(np.float32)


def photograph_all(coins, processes, seed):
    with mp.get_context("fork").Pool(processes, initializer=_start, initargs=(SIDE, seed)) as pool:
        done = dict(pool.imap_unordered(photograph, coins, chunksize=4))
    return [done[coin.index] for coin in coins]
