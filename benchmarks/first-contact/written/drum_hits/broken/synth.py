"""Synthesises single drum hits."""
import numpy as np

RATE = 8000
LENGTH = 2048
KINDS = ("kick", "snare", "tom", "hat")


def hit(kind, rng):
    t = np.arange(LENGTH) / RATE
    decay = np.exp(-t * rng.uniform(14, 30))
    noise = rng.standard_normal(LENGTH)
    if kind == "kick":
        wave = np.sin(2 * np.pi * (rng.uniform(45, 65) * t + 4 * np.exp(-t * 40)))
    elif kind == "tom":
        wave = np.sin(2 * np.pi * rng.uniform(110, 190) * t)
    elif kind == "snare":
        wave = 0.5 * np.sin(2 * np.pi * rng.uniform(170, 220) * t) + 0.6 * noise
    else:
        wave = np.diff(noise, prepend=0.0)
    return (wave * decay).astype(np.float32)


def kit(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(KINDS), count)
    return np.stack([hit(KINDS[k], rng) for k in labels]), labels
