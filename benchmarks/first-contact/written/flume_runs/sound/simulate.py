"""Sediment transport in a laboratory flume: a one-dimensional bed under a varying discharge."""

import fcntl
import json

import numpy as np

CELLS = 64


def step(bed, discharge, slope, grain):
    depth = np.maximum(0.05, 0.4 + 0.3 * discharge - bed)
    shear = depth * slope * 9.81 / (1.65 * grain)
    flux = np.maximum(0.0, shear - 0.047) ** 1.5 * grain * 0.02
    return bed + 0.5 * (np.roll(flux, 1) - flux)


def run_flume(number, seed):
    rng = np.random.default_rng([seed, number])
    slope, grain, base = rng.uniform(0.001, 0.01), rng.uniform(0.0005, 0.004), rng.uniform(0.5, 2.0)
    bed = 0.05 * rng.standard_normal(CELLS)
    start = bed.copy()
    for tick in range(int(rng.integers(120, 400))):
        bed = step(bed, base * (1 + 0.3 * np.sin(tick / 20)), slope, grain)
    return {
        "run": number, "slope": slope, "grain": grain, "base": base, "ticks": tick + 1,
        "roughness": float(start.std()), "moved": float(np.abs(bed - start).mean()), "peak": float(bed.max()),
    }


def run_batch(job):
    """Simulate some runs and note each in the shared protocol as soon as it is done."""
    numbers, seed, protocol = job
    for number in numbers:
        line = json.dumps(run_flume(number, seed))
        with open(protocol, "a") as out:
            fcntl.flock(out, fcntl.LOCK_EX)
            out.write(line + "\n")
    return len(numbers)
