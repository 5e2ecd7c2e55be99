"""Synthetic strikes of bells: one small file per strike, as the recorder in the tower leaves them."""
import numpy as np

RATE = 4000
SAMPLES = 512
PARTIALS = np.array([0.5, 1.0, 1.2, 1.5, 2.0])
BELLS = (262.0, 294.0, 330.0, 349.0, 392.0, 440.0)


def strike(rng):
    bell = int(rng.integers(len(BELLS)))
    cents = rng.normal(0, 18)
    ratios = PARTIALS.copy()
    ratios[2] *= 2 ** (cents / 1200)
    t = np.arange(SAMPLES) / RATE
    strength = rng.gamma(3.0, 0.3, len(ratios))
    decay = rng.uniform(3, 12, len(ratios)) * ratios
    phase = rng.uniform(0, 2 * np.pi, len(ratios))
    waves = strength[:, None] * np.exp(-decay[:, None] * t)
    waves = waves * np.sin(2 * np.pi * BELLS[bell] * ratios[:, None] * t + phase[:, None])
    return waves.sum(0) + rng.normal(0, 0.02, SAMPLES), bell, cents


def record(folder, count, seed):
    """Writes the strikes and the tuner's table of them; returns the files and the table."""
    rng = np.random.default_rng(seed)
    files, table = [], {}
    for number in range(count):
        wave, bell, cents = strike(rng)
        path = folder / f"strike-{number:05d}.npy"
        np.save(path, wave.astype(np.float32))
        files.append(path)
        table[path.stem] = (bell, cents)
    return files, table
