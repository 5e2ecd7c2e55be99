"""The flight over the trial field. Made up once and kept: the cube is big in real life."""
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Flight:
    plots: int = 960
    bands: int = 72
    looks: int = 6
    seed: int = 17

    @property
    def key(self):
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:10]


def simulate(flight):
    rng = np.random.default_rng(flight.seed)
    wavelength = np.linspace(450, 950, flight.bands)
    nitrogen = rng.uniform(1.5, 5.0, flight.plots)
    cover = np.clip(0.25 + 0.12 * nitrogen + rng.normal(0, 0.1, flight.plots), 0.1, 0.98)
    edge = 705 + 6 * nitrogen[:, None]
    leaf = 0.05 + 0.45 / (1 + np.exp(-(wavelength - edge) / 14))
    leaf = leaf + 0.05 * np.exp(-(((wavelength - 555) / 30) ** 2)) * (6 - nitrogen[:, None]) / 3
    soil = 0.08 + 0.2 * (wavelength - 450) / 500
    canopy = cover[:, None] * leaf + (1 - cover[:, None]) * soil
    light = rng.normal(1, 0.05, (flight.plots, flight.looks, 1))
    noise = rng.normal(0, 0.006, (flight.plots, flight.looks, flight.bands))
    cube = (canopy[:, None] * light + noise).astype(np.float32)
    plots = pd.DataFrame({
        "plot": np.arange(flight.plots),
        "block": rng.integers(0, 6, flight.plots),
        "nitrogen": nitrogen,
    })
    return cube, plots


def fetch(flight, folder):
    """Paths of the cube and of the plot list, made on first use."""
    folder = Path(folder)
    cube_path, plots_path = folder / f"cube_{flight.key}.npy", folder / f"plots_{flight.key}.csv"
    if not (cube_path.exists() and plots_path.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        cube, plots = simulate(flight)
        np.save(cube_path, cube)
        plots.to_csv(plots_path, index=False)
    return cube_path, plots_path
