"""All recordings through the feature extraction, on both processors."""
import time

import numpy as np
from joblib import Parallel, delayed

from recordings import SPECIES, features


def field_list(n=150, seed=12):
    rng = np.random.default_rng(seed)
    return [(i, float(rng.uniform(3.0, 14.0)), int(rng.integers(len(SPECIES)))) for i in range(n)]


def extract_all(began):
    jobs = field_list()
    pool = Parallel(n_jobs=2, return_as="generator")
    xs, ys, groups = [], [], []
    for done, (x, y, number) in enumerate(pool(delayed(features)(*job) for job in jobs), 1):
        xs.append(x)
        ys.append(y)
        groups.append(number)
        if done % 30 == 0:
            print(f"[{time.time() - began:5.1f}s] {done}/{len(jobs)} recordings", flush=True)
    return np.concatenate(xs), np.concatenate(ys), np.concatenate(groups)
