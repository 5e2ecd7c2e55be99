"""Simulated reels, and what the probes read while they are wound."""
import numpy as np

from probes import SECTIONS


def make_reels(n, seed):
    rng = np.random.default_rng(seed)
    wet = rng.normal(0, 1, n)
    steam = rng.normal(0, 1, (n, SECTIONS))
    speed = rng.normal(0, 0.5, n)
    state = np.empty((n, SECTIONS))
    for section in range(SECTIONS):
        wet = 0.8 * wet - 0.35 * steam[:, section] + 0.25 * speed + 0.1 * np.tanh(wet * steam[:, section])
        state[:, section] = wet
    return state, (wet + 0.05 * rng.normal(0, 1, n)).astype(np.float32)


def readings(state, probes, seed):
    columns = []
    for probe in probes:
        rng = np.random.default_rng(probe.stream(seed))
        tilt = 0.1 * (probe.position_mm / 3000 - 1)
        drift = np.cumsum(rng.normal(0, 0.002, len(state)))
        columns.append((1 + tilt) * state[:, probe.section] + drift + rng.normal(0, 3 * probe.spread, len(state)))
    return np.stack(columns, 1).astype(np.float32)
