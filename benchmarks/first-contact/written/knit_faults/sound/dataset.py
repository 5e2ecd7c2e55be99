"""Patches of cloth with augmentation, a stream of its own for each sample and epoch."""

import numpy as np
import torch
from torch.utils.data import Dataset


class Augment:
    """Flips, a cyclic shift, a change of light and a little noise."""

    def __init__(self, shift=4, light=0.15, noise=0.03):
        self.shift, self.light, self.noise = shift, light, noise

    def __call__(self, image, rng):
        if rng.random() < 0.5:
            image = image[:, ::-1]
        if rng.random() < 0.5:
            image = image[::-1]
        moves = rng.integers(-self.shift, self.shift + 1, 2)
        image = np.roll(image, tuple(int(move) for move in moves), axis=(0, 1))
        image = image * (1.0 + rng.uniform(-self.light, self.light))
        return image + rng.normal(0.0, self.noise, image.shape)


class ClothPatches(Dataset):
    def __init__(self, images, labels, seed=0, augment=None):
        self.images, self.labels = images, labels
        self.seed = seed
        self.augment = augment
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def stream(self, index):
        sequence = np.random.SeedSequence(self.seed, spawn_key=(self.epoch, index))
        return np.random.default_rng(sequence)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = self.images[index]
        if self.augment is not None:
            image = self.augment(image, self.stream(index))
        image = np.ascontiguousarray(image, dtype=np.float32)
        return torch.from_numpy(image).unsqueeze(0) - 0.5, int(self.labels[index])
