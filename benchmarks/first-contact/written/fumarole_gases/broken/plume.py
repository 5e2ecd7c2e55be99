"""Forward model of a fumarole's plume, and a pool that runs it for many vents."""
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

CHANNELS = 48
PARCELS = 3000
WORKERS = 4


def lines(rng_seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(rng_seed)
    grid = np.linspace(0, 1, CHANNELS)
    centres = rng.uniform(0, 1, (3, 4))
    return np.exp(-((grid - centres[..., None]) ** 2) / 0.004).sum(axis=1)


class PlumeSimulator:
    def __init__(self, seed: int):
        self.lines = lines()
        self.done = 0
        self.lock = threading.Lock()
        self.local = threading.local()
        self.streams = iter(np.random.SeedSequence(seed).spawn(WORKERS))

    def start_worker(self) -> None:
        with self.lock:
            self.local.rng = np.random.default_rng(next(self.streams))

    def spectrum(self, vent: np.ndarray) -> np.ndarray:
        rng = self.local.rng
        height = np.cumsum(rng.exponential(1 / PARCELS, PARCELS))
        mixing = np.exp(rng.normal(-height, 0.3))
        column = vent * (mixing[:, None] * rng.gamma(4, 0.25, (PARCELS, 3))).mean(0)
        light = np.exp(-column @ self.lines) + rng.normal(0, 0.004, CHANNELS)
        with self.lock:
            self.done += 1
        return light.astype(np.float32)

    def run(self, vents: np.ndarray) -> np.ndarray:
        with ThreadPoolExecutor(WORKERS, thread_name_prefix="plume",
                                initializer=self.start_worker) as pool:
            return np.stack(list(pool.map(self.spectrum, vents)))
