"""Made-up delivery districts: a depot (stop 0) and the day's stops around it."""
from dataclasses import dataclass

import numpy as np


@dataclass
class District:
    number: int
    places: np.ndarray
    km: np.ndarray


def make_district(number, stops, seed):
    rng = np.random.default_rng([seed, number])
    villages = rng.random((5, 2))
    places = villages[rng.integers(0, 5, stops)] + rng.normal(0, 0.09, (stops, 2))
    places[0] = 0.5
    km = np.linalg.norm(places[:, None] - places[None], axis=-1)
    return District(number, places, km)


def tour_length(district, tour):
    return float(sum(district.km[a, b] for a, b in zip(tour, tour[1:] + tour[:1])))
