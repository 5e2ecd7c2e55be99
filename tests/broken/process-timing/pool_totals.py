# samebits-test: verdict=different cause=process-timing
"""A pool measures stations, and their rows are added while it works."""

from multiprocessing import get_context

import numpy as np
import torch


def measure(station):
    rng = np.random.default_rng(station)
    length = 200 + 300 * (station % 5)
    return station, np.sin(rng.normal(size=(length, 8)).cumsum(axis=0)).mean(axis=0).tolist()


def main():
    total, square = torch.zeros(8), torch.zeros(8)
    with get_context("fork").Pool(3) as pool:
        for _, means in pool.imap_unordered(measure, range(600)):  # culprit
            row = torch.tensor(means)
            total += row
            square += row * row
    spread = (square / 600 - (total / 600) ** 2).sqrt()
    print(total.tolist(), spread.tolist())


if __name__ == "__main__":
    main()
