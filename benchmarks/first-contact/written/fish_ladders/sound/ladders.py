"""Hourly counts from the counters at fish ladders, a week at a time."""
import numpy as np

HOURS = 7 * 24


def ladder_week(rng):
    """Fish counted, minutes that the counter was on, water temperature, flow, and the week's real run."""
    hour = np.arange(HOURS) % 24
    strength = rng.gamma(3.0, 1.0)
    flow = rng.uniform(0.5, 2.0) + 0.2 * np.sin(np.arange(HOURS) / 30 + rng.uniform(0, 6))
    warm = 11 + 2.5 * np.sin((hour - 9) / 24 * 2 * np.pi) + rng.normal(0, 1)
    pace = strength * (0.4 + np.exp(-0.5 * ((hour - 6) / 2.5) ** 2) + 0.8 * np.exp(-0.5 * ((hour - 20) / 2) ** 2)) / flow
    minutes = np.where(rng.random(HOURS) < 0.25, 0, rng.integers(20, 61, HOURS))
    minutes[: rng.integers(0, 8)] = 0                       # the counter is put in on Monday morning
    fish = rng.poisson(pace * minutes / 10)
    run = np.log(pace.sum())
    return (fish.astype(np.float32), minutes.astype(np.float32), warm.astype(np.float32),
            flow.astype(np.float32), np.float32(run))
