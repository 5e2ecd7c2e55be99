"""Simulated boardings of tram routes, hour by hour."""
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Route:
    number: int
    capacity: float
    commuter: float


class Simulator:
    def __init__(self, seed: int, days: int):
        self.seed = seed
        self.days = days
        self.lock = threading.Lock()
        self.simulated = 0

    def routes(self, n: int) -> list[Route]:
        rng = np.random.default_rng(self.seed)
        return [Route(i, float(rng.uniform(80, 220)), float(rng.uniform(0.3, 0.9))) for i in range(n)]

    def simulate(self, route: Route) -> np.ndarray:
        rng = np.random.default_rng([self.seed, route.number])
        hours = np.arange(24)
        rush = np.exp(-((hours - 8) / 1.5) ** 2) + 0.8 * np.exp(-((hours - 17) / 2.0) ** 2)
        level, out = 1.0, []
        for day in range(self.days):
            level = 0.9 * level + 0.1 + 0.05 * rng.normal()
            profile = route.commuter * rush * (1.0 if day % 7 < 5 else 0.25) + (1 - route.commuter) * 0.4
            rain = rng.random() < 0.25
            mean = np.clip(route.capacity * level * profile * (1.15 if rain else 1.0), 0.1, None)
            out.append(rng.poisson(mean))
        with self.lock:
            self.simulated += 1
        return np.concatenate(out).astype(np.float32) / route.capacity

    def history(self, n: int, threads: int) -> np.ndarray:
        """Boardings as [route, hour], in the order of the routes."""
        with ThreadPoolExecutor(threads) as pool:
            return np.stack(list(pool.map(self.simulate, self.routes(n))))
