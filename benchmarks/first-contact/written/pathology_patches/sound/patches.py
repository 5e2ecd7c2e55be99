"""Synthetic haematoxylin-and-eosin-like patches; every patient has a tint of their own."""
import numpy as np
import torch
from torch.utils.data import Dataset

SIDE = 28


def split_by_patient(patients, held_out, seed):
    order = np.random.default_rng(seed).permutation(patients)
    return sorted(order[held_out:].tolist()), sorted(order[:held_out].tolist())


def paint(patient, index):
    rng = np.random.default_rng([patient, index])
    label = int(rng.integers(3))
    tint = np.random.default_rng([99, patient]).uniform(0.75, 1.0, 3)
    yy, xx = np.mgrid[:SIDE, :SIDE]
    dark = np.zeros((SIDE, SIDE))
    for _ in range((14, 6, 3)[label]):
        cy, cx = rng.uniform(0, SIDE, 2)
        radius = rng.uniform(1.2, 2.2) * (1, 1, 2.2)[label]
        dark += np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / (2 * radius ** 2))
    rgb = tint[:, None, None] - np.stack([0.5 * dark, 0.7 * dark, 0.25 * dark])
    rgb += rng.normal(0, 0.12, rgb.shape)
    return rgb.astype(np.float32), label


class PatchSet(Dataset):
    def __init__(self, patients, per_patient, transforms=()):
        self.items = [paint(p, i) for p in patients for i in range(per_patient)]
        self.transforms = list(transforms)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        image, label = self.items[index]
        for transform in self.transforms:
            image = transform(image)
        return torch.from_numpy(np.ascontiguousarray(image - 0.6)), label
