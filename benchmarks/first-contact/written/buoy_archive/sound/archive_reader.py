"""Reads the buoys' csv files concurrently (the archive is on a network drive)."""
import asyncio
import csv
from dataclasses import dataclass

import numpy as np

COLUMNS = ("hs", "tp", "wind", "pressure")


@dataclass
class Station:
    number: int
    values: np.ndarray


def despike(column, half=5, limit=4.0):
    """Replace outliers by the median of their neighbourhood."""
    padded = np.pad(column, half, mode="edge")
    neighbours = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1)
    median = np.median(neighbours, axis=1)
    spread = np.median(np.abs(neighbours - median[:, None]), axis=1) + 1e-3
    return np.where(np.abs(column - median) > limit * spread, median, column)


def read_station(path):
    with open(path, newline="") as f:
        rows = [[float(row[name]) for name in COLUMNS] for row in csv.DictReader(f)]
    values = np.array(rows)
    for k in range(values.shape[1]):
        values[:, k] = despike(values[:, k])
    return Station(int(path.stem.split("_")[1]), values)


async def read_archive(folder):
    jobs = [asyncio.to_thread(read_station, path) for path in sorted(folder.glob("buoy_*.csv"))]
    return await asyncio.gather(*jobs)
