"""Catalogue of buried cable designs for the ampacity study."""
from dataclasses import dataclass

import numpy as np

AREAS = (95.0, 150.0, 240.0, 300.0, 400.0, 630.0)
RHO_20 = {"cu": 1.7241e-8, "al": 2.8264e-8}


@dataclass(frozen=True)
class Design:
    number: int
    metal: str
    area_mm2: float
    insulation_mm: float
    depth_m: float
    soil_k: float
    current: float

    def features(self):
        return [float(self.metal == "cu"), self.area_mm2 / 630.0, self.insulation_mm / 20.0,
                self.depth_m / 2.0, self.soil_k, self.current / 1000.0]

    def radius(self):
        return float(np.sqrt(self.area_mm2 / np.pi)) * 1e-3

    def resistance(self):
        return RHO_20[self.metal] / (self.area_mm2 * 1e-6)


def catalogue(count, seed):
    rng = np.random.default_rng(seed)
    designs = []
    for number in range(count):
        metal = "cu" if rng.random() < 0.5 else "al"
        area = float(rng.choice(AREAS))
        limit = 14.0 * area ** 0.62 if metal == "cu" else 11.0 * area ** 0.62
        designs.append(Design(number, metal, area, float(rng.uniform(6, 20)), float(rng.uniform(0.7, 2.0)),
                              float(rng.uniform(0.5, 1.6)), float(limit * rng.uniform(0.5, 1.05))))
    return designs
