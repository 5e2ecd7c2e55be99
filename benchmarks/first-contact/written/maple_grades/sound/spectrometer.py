"""Stands in for the spectrometer at the evaporator: writes one frame after another to its output."""
import sys

import numpy as np

CHANNELS = 255  # and one label
SCANS = 64  # in a frame


def frames(seed, count):
    rng = np.random.default_rng(seed)
    axis = np.linspace(0.0, 1.0, CHANNELS)
    drift = 0.0
    for _ in range(count):
        grade = rng.integers(0, 4)
        drift += rng.normal(0.0, 0.05)
        colour = np.exp(-((axis - 0.3 - 0.08 * grade) / 0.12) ** 2)
        sugar = 0.6 * np.exp(-((axis - 0.8) / 0.05) ** 2)
        signal = (1.0 + 0.1 * rng.standard_normal()) * (colour + sugar) + drift
        signal = signal + rng.normal(0.0, 2.4, (SCANS, CHANNELS)).mean(0)
        yield np.append(signal, grade).astype("<f4")


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for frame in frames(seed, count):
        sys.stdout.buffer.write(frame.tobytes())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
