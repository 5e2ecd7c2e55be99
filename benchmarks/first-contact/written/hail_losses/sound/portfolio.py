"""A synthetic residential portfolio."""

from dataclasses import dataclass

import numpy as np

REGION = 60.0  # km
ROOFS = ("clay tile", "slate", "metal", "bitumen")


@dataclass
class Portfolio:
    x: np.ndarray
    y: np.ndarray
    value: np.ndarray  # sum insured, in thousands
    deductible: np.ndarray
    roof: np.ndarray

    def __len__(self):
        return len(self.x)

    @property
    def total(self):
        return float(self.value.sum())


def make_portfolio(size=1200, seed=0):
    """Buildings in eight towns and scattered between them."""
    rng = np.random.default_rng([seed, 100])
    towns = rng.uniform(8.0, REGION - 8.0, (8, 2))
    home = rng.integers(0, 8, size)
    spread = rng.gamma(2.0, 1.4, size)
    angle = rng.uniform(0.0, 2.0 * np.pi, size)
    x = np.clip(towns[home, 0] + spread * np.cos(angle), 0.0, REGION)
    y = np.clip(towns[home, 1] + spread * np.sin(angle), 0.0, REGION)
    value = np.exp(rng.normal(5.7, 0.45, size))
    deductible = rng.choice([0.25, 0.5, 1.0, 2.5], size, p=[0.2, 0.4, 0.3, 0.1])
    roof = rng.choice(len(ROOFS), size, p=[0.5, 0.15, 0.15, 0.2])
    return Portfolio(x, y, value, deductible, roof)
