"""The experimental design: which rotors to simulate."""
import numpy as np
from scipy.stats import qmc

BOUNDS = {
    "pitch": (-4.0, 10.0),
    "tip_ratio": (2.5, 7.5),
    "solidity": (0.06, 0.22),
    "flow": (1.2, 3.4),
    "yaw": (0.0, 25.0),
}


def space_filling(count: int, seed: int) -> np.ndarray:
    """A Latin hypercube over BOUNDS, one row a rotor."""
    rng = np.random.default_rng(seed)
    sampler = qmc.LatinHypercube(d=len(BOUNDS), scramble=True, rng=rng)
    low, high = np.array(list(BOUNDS.values())).T
    return qmc.scale(sampler.random(count), low, high)


def around(best: np.ndarray, count: int, width: float, seed: int) -> np.ndarray:
    """Normal scatter about a promising rotor, kept within BOUNDS."""
    rng = np.random.default_rng(seed + 1)
    low, high = np.array(list(BOUNDS.values())).T
    return np.clip(best + rng.normal(0, width, (count, len(best))) * (high - low), low, high)
