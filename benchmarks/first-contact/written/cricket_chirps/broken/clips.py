"""Synthetic field recordings of three species of cricket."""
import numpy as np

RATE = 8000
SPECIES = ("gryllus", "oecanthus", "acheta")
PITCH = {"gryllus": 1800.0, "oecanthus": 2600.0, "acheta": 2200.0}
PULSES = {"gryllus": 12.0, "oecanthus": 30.0, "acheta": 18.0}


def record(species, rng, seconds=1.0):
    t = np.arange(int(RATE * seconds)) / RATE
    pitch = PITCH[species] * rng.normal(1.0, 0.12)
    rate = PULSES[species] * rng.normal(1.0, 0.25)
    envelope = np.clip(np.sin(2 * np.pi * rate * t + rng.uniform(0, 6)), 0, None)
    return (envelope * np.sin(2 * np.pi * pitch * t) + 0.3 * rng.standard_normal(t.size)).astype(np.float32)


def library(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(SPECIES), n)
    return [record(SPECIES[k], rng) for k in labels], labels
