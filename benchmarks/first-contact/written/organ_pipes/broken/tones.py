"""Synthetic recordings of organ stops, as log spectra."""

import numpy as np
import torch

STOPS = ["principal", "flute", "gedackt", "trumpet", "viola", "mixture"]
RATE = 8000
LENGTH = 1024

# strength of the first eight partials of each stop
PARTIALS = {
    "principal": [1.0, 0.7, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1],
    "flute": [1.0, 0.3, 0.1, 0.05, 0.02, 0.0, 0.0, 0.0],
    "gedackt": [1.0, 0.05, 0.45, 0.03, 0.2, 0.02, 0.1, 0.01],
    "trumpet": [0.7, 0.9, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5],
    "viola": [0.8, 0.9, 0.7, 0.6, 0.5, 0.5, 0.4, 0.3],
    "mixture": [0.6, 0.9, 0.7, 0.9, 0.2, 0.8, 0.1, 0.7],
}


def record(n, seed):
    """Return n log spectra and the number of the stop that was drawn."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(STOPS), size=n)
    time = np.arange(LENGTH) / RATE
    table = np.array([PARTIALS[name] for name in STOPS])
    pitch = 110.0 * 2 ** (rng.integers(0, 25, size=n) / 12)
    strength = table[labels] * rng.lognormal(0.0, 0.45, size=(n, 8))
    waves = np.zeros((n, LENGTH))
    for k in range(8):
        phase = rng.uniform(0, 2 * np.pi, size=(n, 1))
        waves += strength[:, k:k + 1] * np.sin(2 * np.pi * (k + 1) * pitch[:, None] * time + phase)
    waves += rng.normal(0, 0.8, size=waves.shape)
    spectra = np.abs(np.fft.rfft(waves * np.hanning(LENGTH), axis=1))[:, :256]
    features = np.log1p(spectra)
    features = (features - features.mean(1, keepdims=True)) / features.std(1, keepdims=True)
    return torch.tensor(features, dtype=torch.float32), torch.tensor(labels)
