# samebits-test: verdict=same
"""Each simulation is seeded with its own number, whichever process makes it."""

import multiprocessing

import numpy as np
import torch


def simulated(task):
    number, seed = task
    rng = np.random.default_rng([seed, number])
    return number, float(rng.standard_t(5, size=4000).mean())


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        means = sorted(pool.imap_unordered(simulated, [(n, 7) for n in range(40)], chunksize=2))
    y = torch.tensor([mean for _, mean in means])
    w = torch.zeros(())
    for _ in range(3):
        w = w - 0.1 * (w - y).sum()
    print(w)


if __name__ == "__main__":
    main()
