"""Light curves of meteors as the cameras of one station record them."""
import numpy as np

SHOWERS = ("perseid", "geminid", "sporadic")
FRAMES = 48


def light_curve(rng, shower, haze):
    t = np.linspace(0.0, 1.0, FRAMES)
    peak = {0: 0.55, 1: 0.42, 2: 0.5}[shower] + rng.normal(0, 0.08)
    width = {0: 0.16, 1: 0.11, 2: 0.2}[shower] * rng.uniform(0.7, 1.3)
    curve = np.exp(-((t - peak) / width) ** 2)
    if shower == 0 and rng.random() < 0.6:
        curve += 0.5 * np.exp(-((t - peak - 0.12) / 0.03) ** 2)
    return rng.uniform(0.6, 1.4) * curve + rng.normal(0, haze, FRAMES)


def night_log(count, seed, haze):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(SHOWERS), count)
    curves = np.stack([light_curve(rng, label, haze) for label in labels])
    return curves.astype(np.float32), labels.astype(np.int64)
