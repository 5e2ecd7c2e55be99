"""Portfolios of a clearing house's members."""
from dataclasses import dataclass

import numpy as np

FACTORS = ("rates", "credit", "equity", "fx", "power")


@dataclass(frozen=True)
class Job:
    index: int
    seed: int
    delta: np.ndarray
    gamma: np.ndarray


def jobs(count: int, seed: int) -> list[Job]:
    rng = np.random.default_rng(seed)
    return [
        Job(index, seed, rng.normal(0, 1, len(FACTORS)), rng.normal(0, 0.35, len(FACTORS)))
        for index in range(count)
    ]
