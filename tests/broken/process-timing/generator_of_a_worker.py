# samebits-test: verdict=different cause=process-timing
"""Each worker of a pool has a seeded generator; which tasks draw from it goes by their pace."""

import multiprocessing

import numpy as np
import torch

own = {}


def begin(seed):
    number = multiprocessing.current_process()._identity[0]
    own["generator"] = np.random.default_rng([seed, number])  # culprit


def walk(length):
    steps = [own["generator"].normal(size=200) for _ in range(length)]
    return float(np.abs(np.cumsum(steps)).max())


if __name__ == "__main__":
    torch.manual_seed(0)
    with multiprocessing.get_context("fork").Pool(2, begin, (7,)) as pool:
        found = pool.map(walk, [20 + 37 * k % 300 for k in range(80)], chunksize=1)
    print(torch.tensor(found, dtype=torch.float64).mean().item())
