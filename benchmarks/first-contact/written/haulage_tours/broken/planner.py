"""The tours that the net learns from: nearest neighbour, then 2-opt moves under annealing."""
import math
import random
import time
from dataclasses import dataclass
from multiprocessing import get_context


@dataclass(frozen=True)
class Planner:
    seconds: float
    hot: float
    cold: float

    def __call__(self, job):
        district, seed = job
        km, rng = district.km.tolist(), random.Random(seed)
        tour = nearest_neighbour(km)
        started = time.perf_counter()
        spent = 0.0
        while spent < self.seconds:
            heat = self.hot * (self.cold / self.hot) ** (spent / self.seconds)
            two_opt(tour, km, heat, rng)
            spent = time.perf_counter() - started
        return tour, spent


def nearest_neighbour(km):
    tour, left = [0], set(range(1, len(km)))
    while left:
        here = km[tour[-1]]
        nearest = min(left, key=lambda stop: (here[stop], stop))
        tour.append(nearest)
        left.remove(nearest)
    return tour


def two_opt(tour, km, heat, rng):
    """Turns one stretch of the tour round, where that is shorter or the heat allows it."""
    i, j = sorted(rng.sample(range(1, len(tour)), 2))
    before, first, last, after = tour[i - 1], tour[i], tour[j], tour[(j + 1) % len(tour)]
    longer = km[before][last] + km[first][after] - km[before][first] - km[last][after]
    if longer < 0 or rng.random() < math.exp(-longer / heat):
        tour[i:j + 1] = tour[i:j + 1][::-1]


def plan_all(districts, settings, seed, workers):
    planner = Planner(**settings)
    jobs = [(district, seed * 1000 + district.number) for district in districts]
    with get_context("fork").Pool(workers) as pool:
        planned = pool.map(planner, jobs, chunksize=4)
    busy = sum(seconds for _, seconds in planned)
    print(f"planned {len(planned)} districts, {busy:.1f} s of planner time")
    return [tour for tour, _ in planned]
