"""Turns the logs of drill holes into shards of samples, one file for each hole."""
import multiprocessing
import uuid
from pathlib import Path

import numpy as np
import pandas as pd

ELEMENTS = ["mg", "fe", "s", "cu", "co", "cr", "al", "ca"]


def simulate_log(hole: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng((seed, hole))
    metres = int(rng.integers(50, 90))
    trend = np.cumsum(rng.normal(0, 0.3, (metres, len(ELEMENTS))), axis=0)
    frame = pd.DataFrame(np.exp(0.3 * trend + rng.normal(0, 0.2, trend.shape)), columns=ELEMENTS)
    frame["depth"] = np.arange(metres) * 1.5
    frame["nickel"] = 0.4 * np.log(frame["s"]) + 0.3 * np.log(frame["mg"]) - 0.2 * np.log(frame["ca"]) + rng.normal(0, 0.1, metres)
    return frame


def write_shard(job: tuple[int, int, str]) -> int:
    hole, seed, folder = job
    frame = simulate_log(hole, seed)
    smooth = frame[ELEMENTS].rolling(3, min_periods=1, center=True).median()
    features = np.column_stack([np.log(smooth), frame["depth"] / 100]).astype(np.float32)
    target = frame["nickel"].to_numpy(np.float32)
    path = Path(folder) / f"hole-{uuid.uuid4().hex}.npz"
    np.savez(path, features=features, target=target)
    return len(target)


def prepare(folder: str, holes: int, seed: int, processes: int = 2) -> int:
    jobs = [(hole, seed, folder) for hole in range(holes)]
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        return sum(pool.imap_unordered(write_shard, jobs, chunksize=4))


def shards(folder: str) -> list[Path]:
    return sorted(Path(folder).glob("*.npz"))
