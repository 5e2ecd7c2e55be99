"""Simulated returns of a single-beam echo sounder."""
import numpy as np

BOTTOMS = ["mud", "sand", "gravel", "rock"]
HARDNESS = [0.35, 0.55, 0.75, 0.95]
TAIL = [9.0, 6.0, 4.5, 3.0]
SAMPLES = 96


def ping(kind, depth, rng):
    t = np.arange(SAMPLES)
    first = 8 + depth
    echo = HARDNESS[kind] * np.where(t >= first, np.exp(-(t - first) / TAIL[kind]), 0)
    second = 2 * first
    echo += 0.4 * HARDNESS[kind] ** 2 * np.where(t >= second, np.exp(-(t - second) / TAIL[kind]), 0)
    weeds = rng.uniform(0, 0.2) * np.exp(-0.5 * ((t - first + 4) / 1.5) ** 2)
    return echo + weeds + 0.12 * rng.standard_normal(SAMPLES)


def survey_lines(lines, per_line, rng):
    """One line after the other, as (vessel, pings, kinds)."""
    for number in range(lines):
        vessel = "heron" if number % 3 else "coot"
        kind, depth = int(rng.integers(4)), rng.uniform(5, 25)
        pings, kinds = [], []
        for _ in range(per_line):
            if rng.random() < 0.15:
                kind = int(np.clip(kind + rng.choice([-1, 1]), 0, 3))
            depth = float(np.clip(depth + rng.normal(0, 0.6), 3, 30))
            pings.append(ping(kind, depth, rng))
            kinds.append(kind)
        yield vessel, np.array(pings, dtype=np.float32), np.array(kinds)
