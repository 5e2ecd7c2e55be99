"""Painted quadrat photographs: granite with lichen colonies of four genera."""
from dataclasses import dataclass

import numpy as np

GENERA = ("Rhizocarpon", "Caloplaca", "Lecanora", "Umbilicaria")
TINTS = np.array([[170, 185, 60], [215, 130, 40], [200, 205, 190], [95, 80, 70]], dtype=np.float64)


@dataclass(frozen=True)
class Colony:
    frame: int
    row: int
    col: int
    radius: float
    genus: int


def paint_frame(number: int, size: int, rng: np.random.Generator):
    rock = rng.normal(128, 16, (size, size, 1)) + rng.normal(0, 4, (size, size, 3))
    rows, cols = np.mgrid[0:size, 0:size]
    colonies = []
    for _ in range(rng.integers(14, 22)):
        genus = int(rng.integers(len(GENERA)))
        row, col = (int(v) for v in rng.integers(0, size, 2))
        radius = rng.uniform(4, 12)
        angle = np.arctan2(rows - row, cols - col)
        lobes = 1 + (0.05 + 0.08 * (genus % 2)) * np.sin((5 + 2 * genus) * angle)
        distance = np.hypot(rows - row, cols - col) / (radius * lobes)
        inside = distance < 1
        shade = TINTS[genus] * (1 - 0.25 * (genus == 3) * distance[..., None])
        rock[inside] = (0.45 * rock + 0.55 * shade)[inside]
        colonies.append(Colony(number, row, col, float(radius), genus))
    rock = rng.uniform(0.8, 1.15) * (rock + rng.normal(0, 22, rock.shape))
    return np.clip(rock, 0, 255).astype(np.uint8), colonies


def survey(count: int, size: int, seed: int):
    rng = np.random.default_rng(seed)
    frames, colonies = [], []
    for number in range(count):
        frame, found = paint_frame(number, size, rng)
        frames.append(frame)
        colonies.extend(found)
    return frames, colonies
