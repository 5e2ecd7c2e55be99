"""Synthetic warp-tension log of a weaving shed, one row per thousand picks."""
import numpy as np
import pandas as pd

SENSORS = ["warp_mean", "warp_peak", "weft_mean", "beat_up", "humidity", "lint", "speed_rpm", "shed_angle"]


def weaving_log(rows, seed):
    rng = np.random.default_rng(seed)
    loom = rng.integers(0, 24, rows)
    age = rng.gamma(2.0, 1.6, 24)[loom]
    x = np.empty((rows, len(SENSORS)))
    x[:, 0] = rng.normal(240, 18, rows) + 4 * age
    x[:, 1] = x[:, 0] * (1.2 + rng.exponential(0.12, rows))
    x[:, 2] = rng.lognormal(3.4, 0.25, rows)
    x[:, 3] = rng.gamma(5.0, 9.0, rows)
    x[:, 4] = 100 * rng.beta(7, 4, rows)
    x[:, 5] = rng.pareto(2.5, rows)
    x[:, 6] = rng.choice([520, 560, 610, 640], rows) + rng.normal(0, 3, rows)
    x[:, 7] = rng.uniform(24, 34, rows)
    risk = 0.02 * (x[:, 1] - 300) + 0.5 * np.log1p(x[:, 5]) - 0.05 * (x[:, 4] - 62) + 0.004 * (x[:, 6] - 580)
    breaks = (risk + rng.logistic(0, 0.8, rows) > 1.1).astype(int)
    frame = pd.DataFrame(x, columns=SENSORS)
    frame["loom"] = loom
    frame["break"] = breaks
    return frame
