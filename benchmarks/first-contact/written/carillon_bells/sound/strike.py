"""Synthetic strikes of carillon bells."""
from dataclasses import dataclass

import numpy as np

RATE = 8000
PARTIALS = np.array([0.5, 1.0, 1.2, 1.5, 2.0, 2.67])
DECAY = np.array([0.9, 2.0, 1.6, 3.5, 5.0, 7.0])


@dataclass(frozen=True)
class Bell:
    number: int
    pitch: float
    off_cents: tuple


def cast(count, rng):
    """Bells over two octaves; the third partial of each is more or less out of tune."""
    bells = []
    for number in range(count):
        pitch = 220.0 * 2.0 ** (2.0 * number / count)
        bells.append(Bell(number, pitch, tuple(rng.normal(0.0, 25.0, len(PARTIALS)))))
    return bells


def ring(bell, rng, seconds=1.6):
    """One strike as it comes from the microphone."""
    t = np.arange(int(RATE * seconds)) / RATE
    clapper = rng.uniform(0.6, 1.4, len(PARTIALS))
    phase = rng.uniform(0.0, 2.0 * np.pi, len(PARTIALS))
    frequency = bell.pitch * PARTIALS * 2.0 ** (np.array(bell.off_cents) / 1200.0)
    waves = np.sin(2.0 * np.pi * frequency[:, None] * t + phase[:, None])
    waves *= clapper[:, None] * np.exp(-DECAY[:, None] * t)
    wind = np.cumsum(rng.normal(0.0, 0.01, len(t)))
    return waves.sum(axis=0) + 0.2 * (wind - wind.mean()) + rng.normal(0.0, 0.05, len(t))


def spectrum(signal, bands=96):
    power = np.abs(np.fft.rfft(signal * np.hanning(len(signal)), 4 * len(signal))) ** 2
    edges = np.geomspace(100.0, 3000.0, bands + 1) * 4 * len(signal) / RATE
    sums = np.add.reduceat(power, edges.astype(int))[:-1]
    return np.log1p(sums).astype(np.float32)
