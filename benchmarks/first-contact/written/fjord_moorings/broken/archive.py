"""A small archive of fjord moorings: one compressed temperature and salinity record for each."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

REGIMES = ("sill", "basin", "glacier", "mouth")


@dataclass(frozen=True)
class Mooring:
    name: str
    regime: int
    length: int
    path: str


def simulate(rng: np.random.Generator, regime: int, length: int) -> np.ndarray:
    t = np.arange(length)
    phase = rng.uniform(0, 2 * np.pi, 3)
    tide = np.sin(2 * np.pi * t / 25 + phase[0]) * (0.6, 0.15, 0.3, 0.8)[regime]
    season = np.sin(2 * np.pi * t / 2200 + phase[1]) * 1.5
    drift = np.cumsum(rng.standard_normal(length)) * (0.01, 0.03, 0.02, 0.015)[regime]
    temperature = 6 + season + tide + drift + 0.5 * rng.standard_normal(length)
    fresh = np.maximum(0, np.sin(2 * np.pi * t / 400 + phase[2])) * (0.2, 0.1, 1.2, 0.4)[regime]
    salinity = 33 - fresh + 0.4 * tide * (regime != 2) + 0.4 * rng.standard_normal(length)
    return np.stack([temperature - temperature.mean(), salinity - salinity.mean()]).astype(np.float32)


def build(folder: Path, count: int, seed: int) -> list[Mooring]:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    catalogue = []
    for number in range(count):
        regime, length = number % len(REGIMES), int(rng.integers(3000, 16000))
        path = folder / f"mooring_{number:03d}.npz"
        np.savez_compressed(path, record=simulate(rng, regime, length))
        catalogue.append(Mooring(path.stem, regime, length, str(path)))
    (folder / "catalogue.json").write_text(json.dumps([m.name for m in catalogue]))
    return catalogue
