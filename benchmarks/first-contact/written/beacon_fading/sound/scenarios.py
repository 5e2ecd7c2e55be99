"""Radio scenarios, and bursts recorded under them."""
import pickle
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import numpy as np

KINDS = ("bpsk", "qpsk", "qam16")


def rayleigh(rng, taps):
    return (rng.standard_normal(taps) + 1j * rng.standard_normal(taps)) / np.sqrt(2 * taps)


def rician(rng, taps, k=4.0):
    scattered = rayleigh(rng, taps) / np.sqrt(1 + k)
    scattered[0] += np.sqrt(k / (1 + k))
    return scattered


@dataclass(frozen=True)
class Scenario:
    site: str
    snr_db: float
    taps: int
    bursts: int
    fading: Callable = field(repr=False)

    @property
    def key(self):
        """One number per scenario: the name of its cache file, and its random stream."""
        return zlib.crc32(repr(self).encode())


SCENARIOS = [
    Scenario("harbour", 14.0, 3, 240, rician),
    Scenario("ridge", 9.0, 2, 240, rician),
    Scenario("old town", 11.0, 5, 240, rayleigh),
    Scenario("valley", 6.0, 4, 240, rayleigh),
]


def symbols(rng, kind, count):
    if kind == "bpsk":
        return rng.choice([-1.0, 1.0], count).astype(complex)
    levels = [-1.0, 1.0] if kind == "qpsk" else [-3.0, -1.0, 1.0, 3.0]
    points = rng.choice(levels, count) + 1j * rng.choice(levels, count)
    return points / np.sqrt(2 if kind == "qpsk" else 10)


def simulate(scenario, length=64):
    rng = np.random.default_rng(scenario.key)
    noise_level = 10 ** (-scenario.snr_db / 20)
    bursts = np.empty((scenario.bursts, 2, length), np.float32)
    labels = rng.integers(len(KINDS), size=scenario.bursts)
    for row, label in enumerate(labels):
        sent = symbols(rng, KINDS[label], length)
        heard = np.convolve(sent, scenario.fading(rng, scenario.taps))[:length]
        heard += noise_level * (rng.standard_normal(length) + 1j * rng.standard_normal(length))
        bursts[row] = heard.real, heard.imag
    return bursts, labels


def load(scenario, cache: Path):
    path = cache / f"{scenario.key:08x}.pkl"
    if not path.exists():
        partial = path.with_suffix(".tmp")
        partial.write_bytes(pickle.dumps(simulate(scenario)))
        partial.rename(path)
    return pickle.loads(path.read_bytes())
