"""Acquires the whole cohort, several cases at a time."""
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

import numpy as np

from tracer import acquire


def scan_cohort(cases, seed, threads=4):
    rng = np.random.default_rng(seed)
    with ThreadPoolExecutor(threads, thread_name_prefix="scan") as pool:
        scans = list(pool.map(acquire, cases, repeat(rng)))
    names = [scan[0] for scan in scans]
    curves = np.stack([np.stack(scan[1:]) for scan in scans])
    return names, curves.astype(np.float32)
