from dataclasses import dataclass

import numpy as np

MAJOR = np.array([0, 2, 4, 5, 7, 9, 11])
MINOR = np.array([0, 2, 3, 5, 7, 8, 11])
RATE = 4000


@dataclass
class Piece:
    number: int
    key: int  # 0-11 major, 12-23 minor
    profile: np.ndarray


def notes_of(number, key, length):
    rng = np.random.default_rng([1685, number])
    scale = MAJOR if key < 12 else MINOR
    weights = np.array([5, 1.5, 3, 2, 4, 1.5, 1.0])
    degrees = rng.choice(7, size=length, p=weights / weights.sum())
    octaves = rng.integers(4, 6, size=length)
    off = rng.random(length) < 0.08
    return 12 * octaves + (key % 12) + scale[degrees] + off


def analyse(job):
    """Render a piece and take its pitch-class profile from the spectrum."""
    number, key = job
    length = 8 + (number * 7) % 24
    t = np.arange(RATE // 4) / RATE
    profile = np.zeros((2, 12))
    notes = notes_of(number, key, length)
    for i, midi in enumerate(notes):
        f0 = 440.0 * 2 ** ((midi - 69) / 12)
        tone = sum(np.sin(2 * np.pi * f0 * k * t) / k for k in (1, 2, 3) if f0 * k < RATE / 2)
        spectrum = np.abs(np.fft.rfft(tone * np.hanning(len(t)), 2 * RATE))
        freqs = np.fft.rfftfreq(2 * RATE, 1 / RATE)
        ok = (freqs > 60) & (freqs < 1500)
        pitch = np.rint(69 + 12 * np.log2(freqs[ok] / 440.0)).astype(int) % 12
        half = 0 if i < len(notes) // 2 else 1
        profile[half] += np.bincount(pitch, weights=spectrum[ok] ** 2, minlength=12)
    profile /= profile.sum(axis=1, keepdims=True) + 1e-9
    return Piece(number, key, profile.ravel().astype(np.float32))
