"""Simulates the eruptions of one vent and writes them in parts: simulate.py VENT SEASONS FOLDER."""
import os
import sys
from pathlib import Path

import numpy as np


def season(rng, vent, eruptions):
    """Intervals and durations from a heating reservoir with a threshold that drifts."""
    heat, seep = 0.4, 0.03 + 0.004 * vent
    intervals, durations = [], []
    threshold = 1.0
    while len(intervals) < eruptions:
        minutes = 0
        while heat < threshold:
            heat += seep * (1 + 0.25 * rng.standard_normal()) * (1.35 - heat)
            minutes += 1
        duration = 1.5 + 3.0 * rng.beta(2 + vent, 2)
        heat -= 0.16 * duration
        threshold = 1.0 + 0.12 * np.sin(len(intervals) / 9 + vent) + 0.02 * rng.standard_normal()
        intervals.append(minutes)
        durations.append(duration)
    return np.array([intervals, durations], dtype=np.float32).T


def main():
    vent, seasons, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    for number in range(seasons):
        rng = np.random.default_rng([902, vent, number])
        target = folder / f"vent{vent}_season{number:02d}.npy"
        partial = target.with_suffix(".part")
        with open(partial, "wb") as stream:
            np.save(stream, season(rng, vent, 220))
        os.replace(partial, target)


if __name__ == "__main__":
    main()
