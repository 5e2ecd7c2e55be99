"""Hammer soundings of a tunnel lining: one recording per ring, of as many blows as there was time for."""
import numpy as np
from scipy import signal

RATE = 16_000


def record(ring, seed=610):
    """Sound blows on one ring; a hollow behind the concrete rings lower and longer."""
    rng = np.random.default_rng([seed, ring])
    blows = int(rng.integers(8, 40))
    hollow = rng.random(blows) < 0.4
    t = np.arange(RATE // 8) / RATE
    pitch = np.where(hollow, rng.normal(1150, 280, blows), rng.normal(1900, 320, blows))[:, None]
    decay = np.where(hollow, rng.normal(45, 12, blows), rng.normal(80, 18, blows))[:, None]
    wave = np.exp(-np.abs(decay) * t) * np.sin(2 * np.pi * pitch * t)
    return wave + rng.normal(0, 0.15, wave.shape), hollow.astype(np.int64)


def describe(ring):
    """Features of each blow: log energy in 24 bands, over 6 slices of time."""
    waves, hollow = record(ring)
    b, a = signal.butter(4, [200, 6000], btype="band", fs=RATE)
    waves = signal.filtfilt(b, a, waves, axis=1)
    _, _, power = signal.spectrogram(waves, RATE, nperseg=256, noverlap=64)
    power = power[:, 1:97, :6].reshape(len(waves), 24, 4, -1).sum(axis=2)
    return np.log(power + 1e-9).reshape(len(waves), -1).astype(np.float32), hollow
