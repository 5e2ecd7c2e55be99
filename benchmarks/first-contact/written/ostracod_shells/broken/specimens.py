"""Simulated ostracod valves: outlines as elliptic Fourier shapes, one object per slide cell."""
from functools import lru_cache

import numpy as np

TAXA = [
    "Candona", "Cypris", "Cyprideis", "Limnocythere", "Ilyocypris", "Darwinula",
    "Heterocypris", "Leptocythere", "Loxoconcha", "Cytheridea", "Bairdia", "Krithe",
]
POINTS = 64


class Specimen:
    def __init__(self, slide: str, cell: int, taxon: str, outline: np.ndarray, broken: bool):
        self.slide = slide
        self.cell = cell
        self.taxon = taxon
        self.outline = outline
        self.broken = broken

    def __repr__(self):
        return f"{self.slide}/{self.cell:02d} {self.taxon}"


@lru_cache(maxsize=None)
def template(taxon: str) -> np.ndarray:
    rng = np.random.default_rng(list(taxon.encode()))
    return rng.normal(0, 0.11, (5, 2)) / np.arange(1, 6)[:, None]


def outline(taxon: str, rng: np.random.Generator) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
    coef = template(taxon) + rng.normal(0, 0.03, (5, 2))
    radius = np.ones(POINTS)
    for k, (c, s) in enumerate(coef, 1):
        radius += c * np.cos(k * angle) + s * np.sin(k * angle)
    radius += rng.normal(0, 0.02, POINTS)
    points = np.stack([1.5 * radius * np.cos(angle), radius * np.sin(angle)])
    return points.astype(np.float32)


def pick_slides(per_taxon: int, seed: int) -> list[Specimen]:
    rng = np.random.default_rng(seed)
    specimens = []
    for number, taxon in enumerate(TAXA):
        for n in range(per_taxon):
            slide = f"S{number:02d}-{n // 20:02d}"
            specimens.append(Specimen(slide, n % 20, taxon, outline(taxon, rng), rng.random() < 0.08))
    return specimens
