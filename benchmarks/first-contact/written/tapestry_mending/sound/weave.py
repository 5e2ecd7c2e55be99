"""Patches of woven texture with holes to be mended."""
import numpy as np
import torch
from sklearn.datasets import load_sample_image
from torch.utils.data import Dataset

PATCH = 32


def cut_patches(name, count, seed):
    image = load_sample_image(name).astype(np.float32) / 255.0
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, image.shape[0] - PATCH, count)
    cols = rng.integers(0, image.shape[1] - PATCH, count)
    patches = [image[r:r + PATCH, c:c + PATCH] for r, c in zip(rows, cols)]
    return np.stack(patches).transpose(0, 3, 1, 2).copy()


class Weave(Dataset):
    """Returns (damaged patch, mask, whole patch)."""

    def __init__(self, patches, pipeline=None, hole=9, seed=0):
        self.patches = patches
        self.pipeline = pipeline
        self.hole = hole
        corner = np.random.default_rng(seed)
        self.corners = corner.integers(2, PATCH - hole - 2, (len(patches), 2))

    def __len__(self):
        return len(self.patches)

    def __getitem__(self, index):
        whole = self.patches[index]
        if self.pipeline is not None:
            whole = self.pipeline(whole)
        r, c = self.corners[index]
        mask = np.ones((1, PATCH, PATCH), dtype=np.float32)
        mask[:, r:r + self.hole, c:c + self.hole] = 0.0
        whole = torch.from_numpy(np.ascontiguousarray(whole))
        mask = torch.from_numpy(mask)
        return whole * mask, mask, whole
