"""An ensemble of tropical cyclones, each carried by the flow of the basin."""
import multiprocessing as mp
import os
import time

import numpy as np

SEED = 2004
HOURS = 96
MEMBERS = 24
_basin = {}


def open_basin(seed: int, stamp: str, numbers):
    """Runs once in each process of the pool."""
    field = np.random.default_rng(seed)
    with numbers.get_lock():
        number, numbers.value = numbers.value, numbers.value + 1
    _basin["rng"] = np.random.default_rng([seed, number])
    _basin["steering"] = field.normal(0, 0.15, (18, 36, 2)) + np.array([-0.25, 0.12])
    _basin["warmth"] = 26 + 3 * np.cos(np.linspace(-1.2, 1.2, 18))
    mp.current_process().name = f"basin-{stamp}-{os.getpid()}"  # for py-spy and ps


def one_track(rng: np.random.Generator, lat: float, lon: float) -> np.ndarray:
    track, wind = np.zeros((HOURS, 3), dtype=np.float32), rng.uniform(18, 30)
    for hour in range(HOURS):
        i, j = int(np.clip(lat / 2, 0, 17)), int(lon / 5) % 36
        north, west = _basin["steering"][i, j] + rng.normal(0, 0.05, 2)
        lat, lon = lat + north * 0.5 + 0.05, (lon + west) % 180
        wind = max(10.0, wind + 0.15 * (_basin["warmth"][i] - 27) + rng.normal(0, 0.6))
        track[hour] = lat, lon, wind
    return track


def simulate(storm: int) -> np.ndarray:
    """The mean track of a storm, and its spread, over perturbed members."""
    rng = _basin["rng"]
    lat, lon = 6 + storm * 7 % 11, storm * 37 % 180
    members = np.stack([one_track(rng, lat + rng.normal(0, 0.3), lon) for _ in range(MEMBERS)])
    return np.concatenate([members.mean(0), members.std(0)], axis=1)


def ensemble(storms: int, processes: int) -> np.ndarray:
    began = time.perf_counter()
    stamp = time.strftime("%H%M%S")
    context = mp.get_context("fork")
    settings = (SEED, stamp, context.Value("i", 0))
    with context.Pool(processes, initializer=open_basin, initargs=settings) as pool:
        tracks = list(pool.imap(simulate, range(storms), chunksize=1))
    print(f"{storms} storms by {processes} processes in {time.perf_counter() - began:.1f} s")
    return np.stack(tracks).astype(np.float32)
