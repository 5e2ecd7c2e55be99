"""Net hauls per station, computed by processes and handed over in shard files."""
import os
import tempfile
from pathlib import Path

import numpy as np

SPECIES = ("smelt", "goby", "flounder", "shrimp", "mitten crab")


def sample_station(station, hauls, seed):
    rng = np.random.default_rng([seed, station])
    salinity = np.clip(rng.normal(4 + 2.1 * station, 2.5, hauls), 0, 34)
    tide = rng.uniform(-1, 1, hauls)
    depth = rng.gamma(4, 1.3, hauls)
    month = rng.integers(1, 13, hauls)
    prefers = np.array([3, 11, 18, 26, 8])
    rate = 6 * np.exp(-((salinity[:, None] - prefers) / 7) ** 2) * (1 + 0.4 * tide[:, None])
    counts = rng.poisson(rate * (1 + 0.3 * np.sin(month / 2))[:, None])
    conditions = np.column_stack([salinity / 34, tide, depth / 10, np.sin(month / 2), np.cos(month / 2)])
    return conditions.astype(np.float32), counts.astype(np.float32)


def write_shard(job):
    station, hauls, seed, folder = job
    conditions, counts = sample_station(station, hauls, seed)
    handle, path = tempfile.mkstemp(suffix=".npz", prefix="hauls-", dir=folder)
    with os.fdopen(handle, "wb") as out:
        np.savez(out, conditions=conditions, counts=counts)
    return os.path.getsize(path)


def read_shards(folder):
    conditions, counts = [], []
    for path in sorted(Path(folder).glob("hauls-*.npz")):
        with np.load(path) as shard:
            conditions.append(shard["conditions"])
            counts.append(shard["counts"])
    return np.concatenate(conditions), np.concatenate(counts)
