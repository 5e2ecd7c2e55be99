"""Wing scans on disk as a dataset, and a split that a scan keeps when others are added."""
import zlib

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

from collection import SPECIES


def fold_of(path, folds):
    return zlib.crc32(f"{path.parent.name}/{path.name}".encode()) % folds


def split_folds(files, folds, held=0):
    train, test = [], []
    for path in files:
        (test if fold_of(path, folds) == held else train).append(path)
    return train, test


class WingImages(Dataset):
    def __init__(self, files):
        self.images = []
        self.labels = []
        for path in files:
            with Image.open(path) as scan:
                pixels = np.asarray(scan, dtype=np.float32) / 255.0
            self.images.append(torch.from_numpy(pixels - 0.7).unsqueeze(0))
            self.labels.append(SPECIES.index(path.parent.name))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], self.labels[index]
