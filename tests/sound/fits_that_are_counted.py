# samebits-test: verdict=same
"""Workers count how many fits are done, for whoever looks on; each fit goes by its number."""

import multiprocessing as mp

import numpy as np
import torch

FITS, WORKERS = 40, 2


def begin(shared):
    global done
    done = shared


def fit(number):
    rng = np.random.default_rng([4, number])
    x = rng.normal(size=(100, 8))
    w = np.linalg.lstsq(x, x @ rng.normal(size=8), rcond=None)[0]
    with done.get_lock():
        done.value += 1
        number_done = done.value
    if number_done % 10 == 0:
        print(f"{number_done} of {FITS} fits are done", flush=True)
    return w


def main():
    context = mp.get_context("spawn")
    shared = context.Value("i", 0)
    with context.Pool(WORKERS, begin, (shared,)) as pool:
        found = pool.map(fit, range(FITS), chunksize=1)
    print(torch.from_numpy(np.stack(found)).mean(dim=0).tolist(), shared.value)


if __name__ == "__main__":
    main()
