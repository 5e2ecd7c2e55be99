"""Disturbances as they are met in real recordings."""
import numpy as np


def baseline_wander(x, strength=0.3):
    t = np.linspace(0, 2 * np.pi, x.shape[-1])
    return x + strength * np.sin(t + np.random.uniform(0, 2 * np.pi))


def muscle_noise(x, snr_db=8.0, rng=np.random.default_rng()):
    power = np.mean(x**2) / 10 ** (snr_db / 10)
    return x + rng.normal(0.0, np.sqrt(power), size=x.shape)
