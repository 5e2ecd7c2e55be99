"""The loggers under the hives: each writes one text file, a line a minute."""
from pathlib import Path

import numpy as np

HIVES = 28


def write_logs(folder: Path, seed: int) -> list[Path]:
    """Weight in kg, brood temperature in degrees and loudness in dB of each hive."""
    folder.mkdir(exist_ok=True)
    paths = []
    for hive in range(HIVES):
        rng = np.random.default_rng([seed, hive])
        length = int(rng.integers(500, 1600))
        minute = np.arange(length)
        weight = 38 + 0.002 * minute + np.cumsum(rng.normal(0, 0.02, length))
        warmth = 34.8 + 0.3 * np.sin(minute / 220) + rng.normal(0, 0.12, length)
        loudness = 52 + 3 * np.sin(minute / 180 + hive) + rng.normal(0, 1.0, length)
        swarming = np.zeros(length, dtype=int)
        for start in rng.integers(0, length - 90, size=4):
            swarming[start : start + 60] = 1
        warmth += 0.5 * swarming
        loudness += 4.0 * swarming
        path = folder / f"hive_{hive:02d}.txt"
        with path.open("w") as file:
            for row in zip(weight, warmth, loudness, swarming):
                file.write("%.3f;%.3f;%.2f;%d\n" % row)
        paths.append(path)
    return paths
