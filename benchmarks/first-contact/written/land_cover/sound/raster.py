"""A synthetic four-band scene and its cover map."""
from dataclasses import dataclass

import numpy as np
import torch

CLASSES = ("water", "forest", "crop", "urban")
SPECTRA = np.array([[.10, .08, .05, .03], [.06, .10, .07, .40],
                    [.09, .14, .12, .35], [.20, .21, .22, .26]])


@dataclass(frozen=True)
class Tile:
    row: int
    col: int
    label: int
    pixels: torch.Tensor

    @property
    def block(self):
        return f"{self.row // 2:02d}{self.col // 2:02d}"


def smooth(noise, times):
    for _ in range(times):
        noise = (noise + np.roll(noise, 1, 0) + np.roll(noise, -1, 0)
                 + np.roll(noise, 1, 1) + np.roll(noise, -1, 1)) / 5
    return noise / noise.std()


def scene(height, width, seed):
    rng = np.random.default_rng(seed)
    relief = smooth(rng.normal(size=(height, width)), 40)
    wet = smooth(rng.normal(size=(height, width)), 40)
    cover = np.where(wet > 0.9, 0, np.where(relief > 0.4, 1, np.where(relief > -0.7, 2, 3)))
    haze = 1 + 0.15 * smooth(rng.normal(size=(height, width)), 60)
    bands = SPECTRA[cover].transpose(2, 0, 1) * haze + rng.normal(0, 0.06, (4, height, width))
    return bands.astype(np.float32), cover


def tiles(bands, cover, side):
    found = []
    for r in range(cover.shape[0] // side):
        for c in range(cover.shape[1] // side):
            at = slice(r * side, (r + 1) * side), slice(c * side, (c + 1) * side)
            label = int(np.bincount(cover[at].ravel(), minlength=len(CLASSES)).argmax())
            found.append(Tile(r, c, label, torch.from_numpy(bands[:, at[0], at[1]].copy())))
    return found
