"""Tiles of a river delta, cut from orthophotos and kept as PNG files, one folder for each flight."""

import hashlib

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

COVERS = ["water", "reed", "mud", "field"]


def cut_tiles(root, flights=4, per_flight=75, size=24, seed=12):
    rng = np.random.default_rng(seed)
    colours = np.array([[50, 80, 120], [90, 120, 60], [120, 100, 80], [150, 150, 70]])
    yy, xx = np.mgrid[:size, :size] / size
    for flight in range(flights):
        folder = root / f"flight{flight}"
        folder.mkdir(parents=True)
        haze = rng.normal(0, 8, 3)
        for number in range(per_flight):
            cover = int(rng.integers(len(COVERS)))
            angle, waves = rng.uniform(0, np.pi), 2 + 2 * cover + rng.normal(0, 1)
            stripes = np.sin(2 * np.pi * waves * (xx * np.cos(angle) + yy * np.sin(angle)))
            pixels = colours[cover] + haze + 18 * stripes[..., None] + rng.normal(0, 60, (size, size, 3))
            image = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
            image.save(folder / f"{COVERS[cover]}_{number:04d}.png")


def list_tiles(root):
    return sorted(root.glob("flight*/*.png"))


def in_test(path, root, share=0.25):
    """Split by a digest of the name: a tile stays on its side when new flights are added."""
    digest = hashlib.md5(path.relative_to(root).as_posix().encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32 < share


class Tiles(Dataset):
    def __init__(self, paths, flip=False):
        self.paths = paths
        self.flip = flip

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        with Image.open(path) as image:
            pixels = torch.from_numpy(np.array(image, dtype=np.float32) / 255 - 0.4).permute(2, 0, 1)
        if self.flip:
            flips = [axis for axis in (1, 2) if torch.rand(()) < 0.5]
            pixels = pixels.flip(flips) + 0.02 * torch.randn(3, 1, 1)
        return pixels, COVERS.index(path.stem.split("_")[0])
