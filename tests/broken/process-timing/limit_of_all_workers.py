# samebits-test: verdict=different cause=process-timing
"""Workers stop a fit early by an error that all of them move on; each has its own fits."""

import multiprocessing as mp

import numpy as np
import torch

FITS, WORKERS = 200, 2


def fit(number, limit):
    rng = np.random.default_rng([4, number])
    x = rng.normal(size=(4000, 8))
    y = x @ rng.normal(size=8) + rng.normal(size=4000)
    w = np.zeros(8)
    for _ in range(60):
        w -= 0.02 * (x.T @ (x @ w - y)) / len(y)
        error = float(np.mean((x @ w - y) ** 2))
        if error < 1.5 * limit.value:  # culprit
            break
    limit.value = 0.9 * limit.value + 0.1 * error  # culprit
    return w


def work(worker, limit, results):
    for number in range(worker, FITS, WORKERS):
        results.put((number, fit(number, limit)))


def main():
    context = mp.get_context("fork")
    limit, results = context.Value("d", 1.0), context.SimpleQueue()
    for number in range(WORKERS):
        context.Process(target=work, args=(number, limit, results)).start()
    found = dict(results.get() for _ in range(FITS))
    fits = np.stack([found[number] for number in range(FITS)])
    print(torch.from_numpy(fits).mean(dim=0).tolist())


if __name__ == "__main__":
    main()
