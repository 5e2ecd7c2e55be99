"""Simulated losses of one portfolio under fat-tailed moves of the market."""
import os
from dataclasses import dataclass

import numpy as np

from book import FACTORS, Job

DAYS = 3000
MIXING = np.linalg.cholesky(0.35 + 0.65 * np.eye(len(FACTORS)))


@dataclass(frozen=True)
class Outcome:
    index: int
    margin: float
    worst: float
    worker: int


def stress(job: Job) -> Outcome:
    rng = np.random.default_rng([job.seed, job.index])
    moves = rng.standard_t(6, size=(DAYS, len(FACTORS))) @ MIXING.T
    shock = rng.random(DAYS) < 0.02
    moves[shock] *= 2.5
    profit = moves @ job.delta + 0.5 * (moves**2) @ job.gamma
    losses = np.sort(-profit)
    tail = losses[int(0.975 * DAYS):]
    return Outcome(job.index, float(tail.mean()), float(losses[-1]), os.getpid())
