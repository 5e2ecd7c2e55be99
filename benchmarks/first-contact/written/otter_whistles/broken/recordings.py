"""Hydrophone clips of otters: whistles, chirps and hums of different lengths."""
import numpy as np

RATE = 8000
CALLS = ("whistle", "chirp", "hum")


def make_clip(call: int, rng: np.random.Generator) -> np.ndarray:
    seconds = rng.uniform(0.25, 1.2)
    t = np.arange(int(seconds * RATE), dtype=np.float32) / np.float32(RATE)
    if call == 0:
        pitch = 1500 + 900 * np.sin(2 * np.pi * rng.uniform(1, 3) * t)
    elif call == 1:
        pitch = 2600 - 1400 * (t * 4 % 1)
    else:
        pitch = np.full_like(t, rng.uniform(250, 500))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    noise = rng.normal(0, 0.8, len(t))
    return (np.sin(phase) * rng.uniform(0.4, 1.0) + noise).astype(np.float32)


def make_recordings(count: int, seed: int):
    rng = np.random.default_rng(seed)
    labels = rng.integers(len(CALLS), size=count)
    return [make_clip(int(call), rng) for call in labels], labels
