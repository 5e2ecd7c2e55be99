import os
import time

import numpy as np


def simulate(job):
    """One noisy damped oscillator, observed at irregular times; returns a row and bookkeeping."""
    number, seed = job
    began = time.perf_counter()
    rng = np.random.default_rng(seed)
    damping, omega = rng.uniform(0.05, 0.6), rng.uniform(1.0, 5.0)
    state, dt = np.array([1.0, 0.0]), 0.004
    out = []
    for k in range(int(rng.integers(1500, 4000))):
        force = rng.normal(scale=0.3)
        state = state + dt * np.array([state[1], force - 2 * damping * state[1] - omega ** 2 * state[0]])
        if k % 50 == 0:
            out.append(state[0])
    series = np.array(out[:24])
    target = np.array([damping, omega / 5])
    return number, series, target, os.getpid(), time.perf_counter() - began
