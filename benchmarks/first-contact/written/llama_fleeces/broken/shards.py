"""Fibre measurements, one shard per farm, made by a pool of processes."""
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy import ndimage

GRADES = ("baby", "superfine", "medium", "coarse")


def draw_fibres(rng, grade, size=40):
    """A micrograph of a few fibres whose width goes with the grade."""
    picture = rng.normal(0, 0.1, (size, size))
    rows, columns = np.mgrid[:size, :size]
    for _ in range(rng.integers(3, 7)):
        angle, offset = rng.uniform(0, np.pi), rng.uniform(-12, 12)
        distance = (rows - size / 2) * np.cos(angle) + (columns - size / 2) * np.sin(angle) - offset
        picture += np.exp(-(distance / (0.9 + 0.55 * grade)) ** 2)
    return picture


def measure(picture):
    values = [picture.mean(), picture.std()]
    for width in (1, 2, 3, 5):
        smooth = ndimage.gaussian_filter(picture, width)
        values += [smooth.std(), np.abs(ndimage.sobel(smooth)).mean(), (picture - smooth).std()]
    return values


def write_shard(folder, farm, seed):
    """Measures the fleeces of one farm; farms are of different sizes."""
    rng = np.random.default_rng([seed, farm])
    grades = rng.integers(0, len(GRADES), rng.integers(12, 40))
    features = np.array([measure(draw_fibres(rng, grade)) for grade in grades], np.float32)
    path = Path(folder) / f"farm_{farm:03d}.npz"
    partial = path.with_suffix(".partial")
    with open(partial, "wb") as stream:
        np.savez(stream, features=features, grades=grades, farm=farm)
    os.replace(partial, path)
    return len(grades), os.getpid()


def build(folder, farms, seed, workers):
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        jobs = [pool.submit(write_shard, folder, farm, seed) for farm in range(farms)]
        return [job.result() for job in jobs]


def read(folder):
    """All shards of the folder, with the farm of every row."""
    paths = sorted(Path(folder).glob("farm_*.npz"), key=os.path.getmtime)
    features, grades, farms = [], [], []
    for path in paths:
        with np.load(path) as shard:
            features.append(shard["features"])
            grades.append(shard["grades"])
            farms.append(np.full(len(shard["grades"]), shard["farm"]))
    return np.concatenate(features), np.concatenate(grades), np.concatenate(farms)
