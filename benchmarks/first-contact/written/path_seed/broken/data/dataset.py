import zlib

import numpy as np
import torch
from torch.utils.data import Dataset


class ImageFolder(Dataset):
    """Images of a folder; the class is the number after the underscore in the name."""

    def __init__(self, folder, crop=16, noise=0.5):
        self.paths = sorted(folder.glob("*.npy"))
        self.crop, self.noise, self.epoch = crop, noise, 0

    def __len__(self):
        return len(self.paths)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __getitem__(self, item):
        path = self.paths[item]
        image = np.load(path)
        rng = np.random.default_rng([zlib.crc32(str(path).encode()), self.epoch])
        top, left = rng.integers(0, image.shape[0] - self.crop + 1, 2)
        image = image[top:top + self.crop, left:left + self.crop]
        image = image + self.noise * rng.normal(size=image.shape)
        return torch.tensor(image[None], dtype=torch.float32), int(path.stem.split("_")[1])
