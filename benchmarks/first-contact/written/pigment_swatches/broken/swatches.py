"""Streams painted swatches from several loader workers."""

import multiprocessing as mp
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import IterableDataset

PIGMENTS = {
    "ochre": (204, 119, 34),
    "umber": (99, 81, 71),
    "cobalt": (0, 71, 171),
    "viridian": (64, 130, 109),
    "madder": (178, 34, 52),
}


def paint(folder: Path, count: int, side: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = list(PIGMENTS)
    for i in range(count):
        label = int(rng.integers(len(names)))
        base = np.array(PIGMENTS[names[label]], dtype=np.float64)
        binder = rng.uniform(0.4, 1.0)
        grain = rng.normal(0.0, 38.0, (side, side, 3))
        pixels = np.clip(255 - binder * (255 - base) + grain, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{i:04d}_{label}.png")


class SwatchStream(IterableDataset):
    def __init__(self, folder: Path):
        self.files = sorted(folder.glob("*.png"))
        self.read = mp.Value("i", 0)
        self.order = list(range(len(self.files)))

    def reshuffle(self, generator: torch.Generator) -> None:
        self.order = torch.randperm(len(self.files), generator=generator).tolist()
        self.rewind()

    def rewind(self) -> None:
        self.read.value = 0

    def positions(self):
        while True:
            with self.read.get_lock():
                place = self.read.value
                if place == len(self.order):
                    return
                self.read.value += 1
            yield place

    def __iter__(self):
        for place in self.positions():
            path = self.files[self.order[place]]
            with Image.open(path) as image:
                pixels = np.asarray(image, dtype=np.float32) / 255.0
            yield torch.from_numpy(pixels).permute(2, 0, 1), int(path.stem.split("_")[1])
