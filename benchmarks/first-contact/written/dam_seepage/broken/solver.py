"""Stands in for the finite-difference solver: writes one file of pore pressures after another into a folder."""
import os
import sys

import numpy as np


def season(rng, windows):
    head = np.cumsum(rng.normal(0, 0.3, (windows, 40)), axis=1) + 30
    grid = np.repeat(head[:, :1], 30, axis=1)
    pressures = []
    for step in range(40):
        grid[:, 0] = head[:, step]
        for _ in range(150):
            grid[:, 1:-1] += 0.2 * (grid[:, 2:] - 2 * grid[:, 1:-1] + grid[:, :-2])
        pressures.append(grid[:, [5, 12, 20]].copy())
    pressures = np.stack(pressures, axis=1)
    seepage = 0.02 * pressures[:, -1].sum(axis=1) + rng.normal(0, 0.02, windows)
    return pressures.astype(np.float32), seepage.astype(np.float32)


def main(folder, seasons, seed):
    for number in range(seasons):
        pressures, seepage = season(np.random.default_rng([seed, number]), 240)
        part = os.path.join(folder, f"season{number}.part")
        with open(part, "wb") as file:
            np.savez(file, pressures=pressures, seepage=seepage)
        os.replace(part, os.path.join(folder, f"season{number}.npz"))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
