"""Scans of bank notes in four grades of wear."""
import numpy as np
import torch
from torch.utils.data import Dataset

GRADES = ("mint", "fine", "worn", "unfit")
HEIGHT, WIDTH = 20, 40


def print_notes(count, seed):
    rng = np.random.default_rng(seed)
    rows = np.linspace(0, 3 * np.pi, HEIGHT)[:, None]
    columns = np.linspace(0, 8 * np.pi, WIDTH)[None, :]
    guilloche = 0.5 + 0.25 * np.sin(rows + np.cos(columns)) * np.cos(columns)
    grades = rng.integers(0, len(GRADES), count)
    scans = np.empty((count, HEIGHT, WIDTH), dtype=np.float32)
    for number, grade in enumerate(grades):
        faded = guilloche * (1 - 0.1 * grade) + rng.normal(0, 0.08, guilloche.shape)
        for _ in range(3 * grade):
            crease = rng.integers(0, WIDTH)
            faded[:, crease] *= rng.uniform(0.5, 0.9)
        scans[number] = faded
    return scans, grades


class NoteScans(Dataset):
    def __init__(self, scans, grades, augment=None):
        self.scans = scans
        self.grades = torch.from_numpy(grades).long()
        self.augment = augment
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, index):
        scan = self.scans[index]
        if self.augment is not None:
            scan = self.augment(scan, self.epoch, index)
        return torch.from_numpy(scan)[None], self.grades[index]
