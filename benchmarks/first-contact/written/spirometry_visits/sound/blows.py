"""Forced expirations: flow over exhaled volume, as the handheld meters of the clinics record them."""
import numpy as np

POINTS = 48


def blow(rng, obstruction, restriction, effort):
    volume = np.linspace(0.0, 1.0, POINTS)
    capacity = 4.6 * (1.0 - 0.45 * restriction)
    peak = 8.5 * effort * (1.0 - 0.35 * obstruction)
    rise = 1.0 - np.exp(-volume * 28.0)
    fall = (1.0 - volume) ** (1.0 + 2.4 * obstruction)
    flow = peak * rise * fall + 0.12 * rng.standard_normal(POINTS)
    fev1 = capacity * (0.84 - 0.42 * obstruction) * (0.9 + 0.1 * effort)
    return np.concatenate([flow, [capacity, effort]]).astype(np.float32), np.float32(fev1)


def patient_visits(rng):
    """What one patient blew on two to five visits; the disease creeps on between them."""
    obstruction, restriction = rng.beta(1.6, 3.0), rng.beta(1.2, 4.0)
    visits = []
    for _ in range(rng.integers(2, 6)):
        effort = rng.uniform(0.7, 1.0)
        visits.append(blow(rng, obstruction, restriction, effort))
        obstruction = min(0.98, obstruction + rng.uniform(0.0, 0.04))
    return visits
