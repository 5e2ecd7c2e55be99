"""Flies many gliders on all cores."""
import multiprocessing
import os
import time

import numpy as np

from flight import glide


class Plan:
    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.wing = rng.uniform(0.4, 0.9, count)
        self.mass = rng.uniform(3.0, 9.0, count)
        self.speed = rng.uniform(9.0, 16.0, count)

    def __len__(self):
        return len(self.wing)

    def designs(self):
        return list(zip(self.wing.tolist(), self.mass.tolist(), self.speed.tolist()))

    def table(self):
        return np.stack([self.wing, self.mass, self.speed], axis=1)


_air = None


def start_worker(seed, started):
    """Gives each process its own stream of gusts."""
    global _air
    with started.get_lock():
        number = started.value
        started.value += 1
    _air = np.random.default_rng([seed, number])


def fly(design):
    return glide(*design, _air), os.getpid()


def fly_all(plan, seed, processes=2):
    began = time.perf_counter()
    context = multiprocessing.get_context("fork")
    started = context.Value("i", 0)
    with context.Pool(processes, start_worker, (seed, started)) as pool:
        flown = list(pool.imap(fly, plan.designs(), chunksize=2))
    workers = {pid for _, pid in flown}
    print(f"{len(flown)} flights by {len(workers)} processes "
          f"in {time.perf_counter() - began:.1f} s")
    return np.array([result for result, _ in flown])
