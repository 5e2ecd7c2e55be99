"""Axle-box accelerations over track sections; one file for each section."""
import os

import numpy as np

LINES = {"north": 9, "harbour": 8, "valley": 10, "airport": 7}
KINDS = ["plain", "joint", "squat", "corrugation"]
LENGTH = 256


def section_names():
    return [f"{line}-{k:02d}" for line, count in LINES.items() for k in range(count)]


def simulate(rng, n):
    kind = rng.integers(len(KINDS), size=n)
    t = np.arange(LENGTH) / LENGTH
    signal = rng.normal(0, 0.35, (n, LENGTH))
    signal += 0.4 * np.sin(2 * np.pi * (12 * t + rng.random((n, 1))))
    for row, k in enumerate(kind):
        at = rng.uniform(0.2, 0.8)
        if k == 1:
            signal[row] += 2.0 * np.exp(-((t - at) / 0.01) ** 2)
        elif k == 2:
            signal[row] += 1.2 * np.exp(-np.abs(t - at) / 0.03) * np.sin(2 * np.pi * 45 * (t - at))
        elif k == 3:
            signal[row] += 0.5 * np.sin(2 * np.pi * (60 * t + at))
    return signal.astype(np.float32), kind.astype(np.int64)


def write_all(folder, per_section, seed):
    os.makedirs(folder, exist_ok=True)
    for number, name in enumerate(section_names()):
        signal, kind = simulate(np.random.default_rng([seed, number]), per_section)
        np.savez(os.path.join(folder, name + ".npz"), signal=signal, kind=kind)
