"""Synthetic radar sweeps: drifting rain cells in polar bins, quantised and packed as a radar site would send them."""
import zlib
from pathlib import Path

import numpy as np

AZIMUTHS, RANGES, FRAMES = 48, 32, 6


def storm(rng):
    azimuth, distance = np.meshgrid(np.linspace(0, 2 * np.pi, AZIMUTHS, endpoint=False),
                                    np.linspace(0.1, 1.0, RANGES), indexing="ij")
    east, north = distance * np.sin(azimuth), distance * np.cos(azimuth)
    wind = rng.normal(0.0, 0.06, size=2)
    cells = rng.uniform(-0.8, 0.8, size=(rng.integers(2, 6), 2))
    width = rng.uniform(0.08, 0.25, size=len(cells))
    power = rng.uniform(15.0, 50.0, size=len(cells))
    growth = rng.normal(1.0, 0.08, size=len(cells))
    frames = np.zeros((FRAMES, AZIMUTHS, RANGES))
    for t in range(FRAMES):
        for (cx, cy), w, p, g in zip(cells, width, power, growth):
            away = (east - cx - t * wind[0]) ** 2 + (north - cy - t * wind[1]) ** 2
            frames[t] += p * g ** t * np.exp(-away / (2 * w ** 2))
    frames += rng.gamma(1.0, 1.0, size=frames.shape)
    return np.clip(frames * 3, 0, 255).astype(np.uint8)


def write_archive(folder: Path, volumes: int, per_volume: int, seed: int):
    folder.mkdir(parents=True)
    paths = []
    for v in range(volumes):
        rng = np.random.default_rng([seed, v])
        packed = zlib.compress(np.stack([storm(rng) for _ in range(per_volume)]).tobytes(), 6)
        paths.append(folder / f"volume-{v:03d}.rad")
        paths[-1].write_bytes(packed)
    return paths


def read_volume(path: Path):
    raw = np.frombuffer(zlib.decompress(path.read_bytes()), dtype=np.uint8)
    return raw.reshape(-1, FRAMES, AZIMUTHS, RANGES)
