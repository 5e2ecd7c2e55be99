"""Cuts patches out of the scans (slow, so cached on disk) and augments them for training."""
import numpy as np
import torch
from joblib import Memory
from PIL import Image
from scipy.ndimage import gaussian_filter, median_filter
from torch.utils.data import Dataset

from scans import scan_board

memory = Memory(".cache", verbose=0)


def flatten_light(image):
    """Evens out the lamp of the scanner and removes specks."""
    pixels = np.asarray(image, dtype=np.float32)
    return median_filter(pixels, size=3) - gaussian_filter(pixels, sigma=24)


@memory.cache
def cut_patches(boards, per_board, size, seed):
    images, grades, origin = [], [], []
    rng = np.random.default_rng(seed)
    jitter = np.random.default_rng(seed + 1)
    for board in range(boards):
        scan, knots = scan_board(per_board, rng)
        pixels = np.pad(flatten_light(scan), size, mode="reflect")
        for x, y, grade in knots:
            dx, dy = jitter.integers(-4, 5, size=2)  # the detector is never quite centred
            top, left = y + size // 2 + dy, x + size // 2 + dx
            images.append(pixels[top:top + size, left:left + size])
            grades.append(grade)
            origin.append(board)
    return np.stack(images) / 64.0, np.array(grades), np.array(origin)


class KnotPatches(Dataset):
    def __init__(self, images, grades, augment=False):
        self.images, self.grades, self.augment = images, grades, augment

    def __len__(self):
        return len(self.grades)

    def __getitem__(self, index):
        patch = self.images[index]
        if self.augment:
            turned = Image.fromarray(patch).rotate(np.random.uniform(-20, 20), resample=Image.Resampling.BILINEAR)
            patch = np.asarray(turned)
            if np.random.rand() < 0.5:
                patch = patch[:, ::-1]
            patch = patch * np.random.uniform(0.9, 1.1) + np.random.normal(0, 0.03)
        return torch.from_numpy(np.ascontiguousarray(patch, dtype=np.float32)).unsqueeze(0), int(self.grades[index])
