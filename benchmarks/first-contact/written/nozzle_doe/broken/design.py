"""Space-filling designs for the nozzle test bench."""

import numpy as np
from scipy.stats import qmc

# orifice diameter [mm], gap [mm], pressure [bar], viscosity [mPa s]
BOUNDS = {
    "orifice": (0.20, 0.90),
    "gap": (0.05, 0.40),
    "pressure": (2.0, 14.0),
    "viscosity": (0.8, 35.0),
}
LOW = np.array([b[0] for b in BOUNDS.values()])
HIGH = np.array([b[1] for b in BOUNDS.values()])


def first_design(count, seed):
    """The points that are measured before any model exists."""
    sampler = qmc.LatinHypercube(d=len(BOUNDS), rng=seed)
    return qmc.scale(sampler.random(count), LOW, HIGH)


class CandidatePool:
    """Fresh settings to choose from in each round of the campaign."""

    def __init__(self, exponent, seed):
        self.exponent = exponent
        self.seed = seed
        self.engine = qmc.Sobol(d=len(BOUNDS), scramble=True)

    def draw(self):
        unit = self.engine.random(2**self.exponent)
        return qmc.scale(unit, LOW, HIGH)


def unit_cube(points):
    return (points - LOW) / (HIGH - LOW)
