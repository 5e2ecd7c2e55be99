"""Recordings of train horns, synthesised: three to five trumpets tuned to a chord, Doppler, and yard noise."""
import numpy as np
from scipy.signal import stft

RATE = 8000
CHORDS = {
    "K3L": (311.0, 370.0, 440.0),
    "K5LA": (311.0, 370.0, 415.0, 494.0, 622.0),
    "P5": (277.0, 330.0, 370.0, 440.0, 554.0),
    "M5": (261.6, 311.1, 370.0, 440.0, 523.3),
}
NAMES = sorted(CHORDS)


def blast(name, rng, seconds=0.5):
    t = np.arange(int(RATE * seconds)) / RATE
    pass_by = 1.0 + 0.03 * rng.uniform(-1, 1) * np.tanh(6 * (t - seconds / 2))
    phase = np.cumsum(pass_by) / RATE
    x = np.zeros_like(t)
    for f in CHORDS[name]:
        f = f * (1 + 0.01 * rng.standard_normal())
        for k in range(1, 9):
            x += rng.uniform(0.3, 1.0) / k * np.sin(2 * np.pi * (k * f * phase + rng.uniform()))
    return x + rng.uniform(0.5, 2.0) * rng.standard_normal(len(t))


def make_batch(index, seed=5, size=16):
    rng = np.random.default_rng((seed, index))
    labels = rng.integers(len(NAMES), size=size)
    specs = []
    for label in labels:
        _, _, z = stft(blast(NAMES[label], rng), RATE, nperseg=256, noverlap=128)
        specs.append(np.log1p(np.abs(z[:64])).astype(np.float32))
    return np.stack(specs)[:, None], labels.astype(np.int64)
