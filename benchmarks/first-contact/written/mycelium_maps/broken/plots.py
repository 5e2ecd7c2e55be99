"""Root-tip samples of forest plots, each tip with the fungal genet found on it."""
from dataclasses import dataclass

import numpy as np

GENETS = 6


@dataclass
class Plot:
    name: str
    first: int  # number of its first tip
    position: np.ndarray  # metres, in the frame of the whole forest
    profile: np.ndarray
    genet: np.ndarray


def sample_plot(name: str, first: int, corner: np.ndarray, rng: np.random.Generator) -> Plot:
    tips = int(rng.integers(90, 260))
    position = corner + rng.uniform(-1.0, 11.0, (tips, 2))
    centres = corner + rng.uniform(0, 10, (GENETS, 2))
    reach = rng.uniform(1.5, 4.0, GENETS)
    distance = np.linalg.norm(position[:, None] - centres[None], axis=2) / reach
    genet = np.argmin(distance + rng.gumbel(0, 0.1, distance.shape), axis=1)
    signature = np.random.default_rng(99).normal(0, 1.0, (GENETS, 10))
    profile = signature[genet] + rng.normal(0, 2.2, (tips, 10))
    return Plot(name, first, position, profile.astype(np.float32), genet)


def sample_forest(rows: int, cols: int, seed: int) -> list[Plot]:
    rng = np.random.default_rng(seed)
    plots, first = [], 0
    for r in range(rows):
        for c in range(cols):
            plot = sample_plot(f"{chr(65 + r)}{c + 1}", first, np.array([10.0 * r, 10.0 * c]), rng)
            plots.append(plot)
            first += len(plot.genet)
    return plots
