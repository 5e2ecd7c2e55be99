"""Photographs on disk, one PNG each; the label is part of the name."""
import random
import zlib

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch.utils.data import Dataset

HELD_OUT_PERCENT = 20


def render(folder, count, seed):
    rng = np.random.default_rng(seed)
    for number in range(count):
        damaged = int(rng.random() < 0.4)
        image = Image.new("RGB", (24, 24), tuple(int(v) for v in rng.integers(60, 90, 3)))
        draw = ImageDraw.Draw(image)
        x, y = rng.uniform(8, 15, 2)
        draw.ellipse((x - 7, y - 5, x + 7, y + 5), fill=(int(rng.integers(140, 190)), 120, 70))
        if damaged:
            hx, hy = x + rng.uniform(-4, 4), y + rng.uniform(-3, 3)
            draw.ellipse((hx - 1, hy - 1, hx + 1, hy + 1), fill=(20, 15, 10))
        pixels = np.asarray(image, dtype=np.int16) + rng.integers(-12, 13, (24, 24, 3))
        bin_name = f"bin{number % 7:02d}"
        (folder / bin_name).mkdir(exist_ok=True)
        Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(folder / bin_name / f"{number:05d}_{damaged}.png")


def held_out(path, root):
    """The same photo always lands on the same side, however many are added later."""
    key = path.relative_to(root).as_posix()
    return zlib.crc32(key.encode()) % 100 < HELD_OUT_PERCENT


def partition(root):
    train, test = [], []
    for path in sorted(root.rglob("*.png")):
        (test if held_out(path, root) else train).append(path)
    return train, test


class HullPhotos(Dataset):
    def __init__(self, files, flip):
        self.files = files
        self.flip = flip

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        path = self.files[index]
        with Image.open(path) as image:
            pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1).float() / 255
        if self.flip and random.random() < 0.5:
            pixels = pixels.flip(2)
        return pixels, int(path.stem.rsplit("_", 1)[1])
