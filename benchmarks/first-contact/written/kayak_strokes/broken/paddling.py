"""Made-up strokes: three axes of acceleration and three of rotation, 100 samples each."""
import numpy as np

STROKES = ("forward", "sweep", "draw", "brace", "roll")
LENGTH = 100


def session(count, seed):
    rng = np.random.default_rng(seed)
    shapes = np.random.default_rng(404).normal(0, 1, (len(STROKES), 6, 4))
    t = np.linspace(0, 1, LENGTH)
    kinds = rng.integers(0, len(STROKES), count)
    strokes = np.empty((count, 6, LENGTH), np.float32)
    for i, kind in enumerate(kinds):
        weights = shapes[kind] + rng.normal(0, 1.1, (6, 4))
        pace, lag = rng.uniform(0.85, 1.2), rng.uniform(-0.4, 0.4)
        waves = np.sin(np.pi * np.arange(1, 5)[:, None] * pace * t + lag)
        strokes[i] = weights @ waves + rng.normal(0, 0.5, (6, LENGTH))
    return strokes, kinds
