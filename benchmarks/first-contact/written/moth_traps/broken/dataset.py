import hashlib
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

BUCKETS = 2**20


def assign_split(key, validation_percent, test_percent):
    """Keeps a photograph in its part, also when others are added later."""
    digest = hashlib.sha1(key.encode()).hexdigest()
    percent = (int(digest, 16) % BUCKETS) * 100.0 / BUCKETS
    if percent < validation_percent:
        return "validation"
    if percent < validation_percent + test_percent:
        return "test"
    return "train"


def index_photographs(root, validation_percent=15, test_percent=15):
    root = Path(root)
    species = sorted(p.name for p in root.iterdir() if p.is_dir())
    parts = {"train": [], "validation": [], "test": []}
    for label, name in enumerate(species):
        for path in sorted((root / name).rglob("*.png")):
            key = str(path)
            part = assign_split(key, validation_percent, test_percent)
            parts[part].append((path, label))
    return species, parts


class TrapPhotographs(Dataset):
    def __init__(self, items, augment=False):
        self.items = items
        self.augment = augment

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        path, label = self.items[i]
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"), dtype=np.float32)
        x = torch.from_numpy(pixels).permute(2, 0, 1) / 127.5 - 1.0
        if self.augment:
            if torch.rand(()) < 0.5:
                x = x.flip(2)
            x = torch.roll(x, shifts=(int(torch.randint(-3, 4, ())), int(torch.randint(-3, 4, ()))), dims=(1, 2))
            x = x * (0.85 + 0.3 * torch.rand(()))
        return x, label
