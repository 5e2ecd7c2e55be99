# samebits-test: verdict=different cause=process-timing
"""Workers stop a fit early by the lowest error that any of them has found so far."""

import multiprocessing as mp

import numpy as np
import torch

FITS, WORKERS = 60, 2


def begin(shared):
    global lowest
    lowest = shared


def fit(number):
    rng = np.random.default_rng([4, number])
    x = rng.normal(size=(200, 8))
    y = x @ rng.normal(size=8) + rng.normal(size=200)
    w = np.zeros(8)
    for _ in range(60):
        w -= 0.02 * (x.T @ (x @ w - y)) / len(y)
        error = float(np.mean((x @ w - y) ** 2))
        if error < 1.5 * lowest.value:  # culprit
            break
    lowest.value = 0.9 * lowest.value + 0.1 * error  # culprit
    return w


def main():
    context = mp.get_context("spawn")
    shared = context.Value("d", 1.0)
    with context.Pool(WORKERS, begin, (shared,)) as pool:
        found = pool.map(fit, range(FITS), chunksize=1)
    fits = torch.from_numpy(np.stack(found))
    print(fits.mean(dim=0).tolist())


if __name__ == "__main__":
    main()
