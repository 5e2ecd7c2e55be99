"""A small photon Monte Carlo in two dimensions: dose around a brachytherapy seed, with an applicator shield."""
import numpy as np

GRID, HALF = 16, 4.0        # bins across, half width in cm
_setup = {}


def start_worker(seed, counter):
    """Each worker makes its interaction tables and its random generator once."""
    with counter.get_lock():
        counter.value += 1
        _setup["worker"] = counter.value
    _setup["rng"] = np.random.default_rng([seed, _setup["worker"]])
    cosines = np.linspace(-1, 1, 2001)
    klein_nishina = (1 + cosines ** 2) / (1 + 0.7 * (1 - cosines)) ** 2
    cumulative = np.cumsum(klein_nishina)
    _setup["angles"] = np.arccos(np.interp(np.linspace(0, 1, 4096), cumulative / cumulative[-1], cosines))


def simulate(case):
    """case: (index, photons, attenuation per cm, shield angle, shield thickness) -> (index, dose map)"""
    index, photons, mu, shield_at, shield = case
    rng = _setup["rng"]
    position = np.zeros((photons, 2))
    heading = rng.uniform(0, 2 * np.pi, photons)
    energy = np.ones(photons)
    behind = np.cos(heading - shield_at) > 0.7
    energy[behind] *= np.exp(-shield)
    dose = np.zeros((GRID, GRID))
    edges = np.linspace(-HALF, HALF, GRID + 1)
    while len(position):
        path = rng.exponential(1 / mu, len(position))
        position = position + path[:, None] * np.stack([np.cos(heading), np.sin(heading)], 1)
        deposit = energy * rng.uniform(0.15, 0.45, len(position))
        dose += np.histogram2d(position[:, 0], position[:, 1], bins=(edges, edges), weights=deposit)[0]
        energy = energy - deposit
        turn = _setup["angles"][rng.integers(0, 4096, len(position))]
        heading = heading + np.where(rng.random(len(position)) < 0.5, turn, -turn)
        alive = (np.abs(position).max(1) < HALF) & (energy > 0.05)
        position, heading, energy = position[alive], heading[alive], energy[alive]
    return index, dose / photons
