"""Airborne magnetometer lines over buried dykes and pipes."""
import numpy as np


def anomaly(xyz: np.ndarray, bodies: np.ndarray) -> np.ndarray:
    """Vertical field of point dipoles, in nanotesla."""
    total = np.zeros(len(xyz))
    for x, y, depth, moment in bodies:
        dx, dy, dz = xyz[:, 0] - x, xyz[:, 1] - y, xyz[:, 2] + depth
        r2 = dx**2 + dy**2 + dz**2
        total += moment * (2 * dz**2 - dx**2 - dy**2) / r2**2.5
    return total


def bury(count: int, rng: np.random.Generator) -> np.ndarray:
    bodies = np.column_stack(
        [
            rng.uniform(0, 1, count),
            rng.uniform(0, 1, count),
            rng.uniform(0.03, 0.12, count),
            rng.normal(0, 0.02, count),
        ]
    )
    dyke = np.column_stack(
        [np.linspace(0.1, 0.9, 30), 0.3 + 0.4 * np.linspace(0, 1, 30) ** 2, np.full(30, 0.06), np.full(30, 0.012)]
    )
    return np.vstack([bodies, dyke])


def fly(lines: int, per_line: int, seed: int):
    rng = np.random.default_rng(seed)
    bodies = bury(18, rng)
    tracks = []
    for n in range(lines):
        along = np.sort(rng.uniform(0, 1, per_line))
        drift = np.cumsum(rng.normal(0, 0.0004, per_line))
        height = 0.04 + 0.01 * np.sin(6 * along + n)
        tracks.append(np.column_stack([along, (n + 0.5) / lines + drift, height]))
    xyz = np.vstack(tracks)
    xyz[:, 1] = np.clip(xyz[:, 1], 0, 1)
    reading = anomaly(xyz, bodies)
    scale = reading.std()
    noisy = reading / scale + rng.normal(0, 0.03, len(reading))
    line = np.repeat(np.arange(lines), per_line)
    return xyz.astype(np.float32), noisy.astype(np.float32), line
