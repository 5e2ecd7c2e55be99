"""Splits, balanced batches and masking."""

import torch
from torch.utils.data import DataLoader, WeightedRandomSampler, random_split


def split(dataset, held_out, seed):
    generator = torch.Generator().manual_seed(seed)
    return random_split(dataset, [len(dataset) - held_out, held_out], generator=generator)


def balanced_loader(subset, batch, seed, power=0.7):
    """Rare calls come up more often than they were recorded, common ones less."""
    labels = subset.dataset.labels[subset.indices]
    counts = torch.bincount(labels).double()
    weights = counts.pow(-power)[labels]
    generator = torch.Generator().manual_seed(seed)
    sampler = WeightedRandomSampler(weights, num_samples=len(subset), replacement=True, generator=generator)
    return DataLoader(subset, batch_size=batch, sampler=sampler, generator=generator)


class SpecMask:
    """Blanks a few bands and frames of each patch."""

    def __init__(self, seed, bands=4, frames=6):
        self.generator = torch.Generator().manual_seed(seed)
        self.bands, self.frames = bands, frames

    def pick(self, count, top):
        return torch.randint(0, top, (count, 1, 1), generator=self.generator)

    def __call__(self, patches):
        count, bands, frames = patches.shape
        band, frame = self.pick(count, bands - self.bands), self.pick(count, frames - self.frames)
        rows = torch.arange(bands).view(1, -1, 1)
        columns = torch.arange(frames).view(1, 1, -1)
        blank = ((rows >= band) & (rows < band + self.bands)) | ((columns >= frame) & (columns < frame + self.frames))
        return patches.masked_fill(blank, 0.0)
