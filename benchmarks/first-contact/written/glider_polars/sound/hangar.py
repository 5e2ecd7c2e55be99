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


def fly(job):
    (wing, mass, speed), stream = job
    rng = np.random.default_rng(stream)
    return glide(wing, mass, speed, rng), os.getpid()


def fly_all(plan, seed, processes=2):
    streams = np.random.SeedSequence(seed).spawn(len(plan))
    jobs = list(zip(plan.designs(), streams))
    began = time.perf_counter()
    context = multiprocessing.get_context("fork")
    with context.Pool(processes) as pool:
        flown = list(pool.imap(fly, jobs, chunksize=2))
    workers = {pid for _, pid in flown}
    print(f"{len(flown)} flights by {len(workers)} processes "
          f"in {time.perf_counter() - began:.1f} s")
    return np.array([result for result, _ in flown])
