# samebits-test: verdict=same
"""Each task of a pool has a generator of its own, whichever worker takes it."""

import multiprocessing

import numpy as np
import torch


def walk(task):
    number, length = task
    generator = np.random.default_rng([7, number])
    steps = [generator.normal(size=200) for _ in range(length)]
    return float(np.abs(np.cumsum(steps)).max())


if __name__ == "__main__":
    torch.manual_seed(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(walk, [(k, 20 + 37 * k % 300) for k in range(80)], chunksize=1)
    print(torch.tensor(found, dtype=torch.float64).mean().item())
