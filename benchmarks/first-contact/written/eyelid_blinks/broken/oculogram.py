"""Simulated electro-oculograms, one subject per call."""
import os
from dataclasses import dataclass

import numpy as np

LENGTH = 160
WINDOWS = 40


@dataclass(frozen=True)
class Subject:
    number: int
    seed: int
    rate: float
    gain: float


def blink(time, centre, width):
    return np.exp(-0.5 * ((time - centre) / width) ** 2)


def simulate(subject):
    """Windows of one subject, with noise of its own."""
    rng = np.random.default_rng([subject.seed, os.getpid()])
    time = np.arange(LENGTH)
    x = np.empty((WINDOWS, 1, LENGTH), np.float32)
    y = np.empty(WINDOWS, np.float32)
    for row in range(WINDOWS):
        drift = np.cumsum(rng.normal(0, 0.05, LENGTH))
        saccade = 0.8 * (time > rng.integers(20, 140)) * rng.choice([-1, 1])
        y[row] = rng.random() < subject.rate
        pulse = blink(time, rng.uniform(20, 140), rng.uniform(4, 9)) if y[row] else 0.0
        x[row, 0] = subject.gain * (drift + saccade + pulse) + rng.normal(0, 0.1, LENGTH)
    return {"worker": os.getpid(), "subject": subject.number, "x": x, "y": y}
