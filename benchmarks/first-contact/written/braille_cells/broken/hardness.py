import numpy as np
import torch
from torch.utils.data import WeightedRandomSampler


class HardnessTable:
    """A smoothed loss for every cell: what is often misread is shown more often.

    The table is kept in a file, from which a later stage of the training goes on.
    """

    def __init__(self, file, size, smoothing=0.6):
        self.file = file
        self.smoothing = smoothing
        self.loss = np.load(file) if file.exists() else np.ones(size)

    def update(self, cells, losses):
        old = self.loss[cells]
        self.loss[cells] = self.smoothing * old + (1 - self.smoothing) * losses

    def save(self):
        np.save(self.file, self.loss)

    def sampler(self, generator):
        weights = torch.from_numpy(self.loss + 0.05)
        return WeightedRandomSampler(weights, len(weights), generator=generator)
