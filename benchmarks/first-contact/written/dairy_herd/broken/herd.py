from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pandas as pd
from torch.utils.data import Sampler

BREEDS = ["holstein", "jersey", "brown_swiss", "montbeliarde"]
PEAK = {"holstein": 17.5, "jersey": 11.0, "brown_swiss": 13.5, "montbeliarde": 14.0}


def test_day_records(n_farms: int, seed: int) -> pd.DataFrame:
    """Test-day milk yields from Wood's lactation curve, with a farm effect."""
    rng = np.random.default_rng(seed)
    rows = []
    for farm in range(n_farms):
        level = rng.normal(1.0, 0.12)
        for _ in range(int(rng.integers(8, 60))):
            breed = BREEDS[rng.integers(len(BREEDS))]
            parity = int(min(rng.geometric(0.4), 5))
            for dim in rng.integers(5, 305, size=4):
                wood = PEAK[breed] * dim ** 0.21 * np.exp(-0.0033 * dim)
                milk = wood * level * (0.82 + 0.07 * parity) + rng.normal(0, 1.5)
                rows.append((farm, breed, parity, int(dim), rng.normal(4.0, 0.4), milk))
    return pd.DataFrame(rows, columns=["farm", "breed", "parity", "dim", "fat", "milk"])


class FarmBalancedSampler(Sampler[list[int]]):
    """Batches with the same number of records from each of a few farms."""

    def __init__(self, farms: np.ndarray, per_farm: int, farms_per_batch: int, n_batches: int):
        self.by_farm: dict[int, list[int]] = defaultdict(list)
        for i, farm in enumerate(farms):
            self.by_farm[int(farm)].append(i)
        self.per_farm = per_farm
        self.farms_per_batch = farms_per_batch
        self.n_batches = n_batches

    def __len__(self) -> int:
        return self.n_batches

    def __iter__(self):
        farms = sorted(self.by_farm)
        for _ in range(self.n_batches):
            batch: list[int] = []
            for farm in random.sample(farms, self.farms_per_batch):
                batch += random.choices(self.by_farm[farm], k=self.per_farm)
            yield batch
