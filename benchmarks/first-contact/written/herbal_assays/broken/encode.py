"""Hashed categorical features for assay records."""
from dataclasses import dataclass
from typing import Optional

import numpy as np
import torch

TABLE = 4096


@dataclass(frozen=True)
class Assay:
    plant: int
    solvent: int
    site: int
    replicate: Optional[int]      # single measurements carry no replicate number
    mass_mg: float
    potency: float

    def crosses(self):
        """Integer tuples, one for each feature cross."""
        return (
            (1, self.plant, self.solvent),
            (2, self.plant, self.site),
            (3, self.solvent, self.site),
            (4, self.site, self.replicate),
            (5, self.plant, self.solvent, self.site),
        )


def bucket(cross):
    # all crosses share one table
    return hash(cross) % TABLE


def encode(assays):
    index = np.empty((len(assays), 5), dtype=np.int64)
    for row, assay in enumerate(assays):
        for column, cross in enumerate(assay.crosses()):
            index[row, column] = bucket(cross)
    mass = np.array([a.mass_mg for a in assays], dtype=np.float32)
    mass = (mass - mass.mean()) / mass.std()
    target = np.array([a.potency for a in assays], dtype=np.float32)
    return torch.from_numpy(index), torch.from_numpy(mass)[:, None], torch.from_numpy(target)
