"""A small Monte Carlo of proton pencil beams in layered tissue, run in a pool of processes."""
import multiprocessing
from dataclasses import dataclass

import numpy as np

BINS = 32
DEPTH_CM = 32.0


@dataclass(frozen=True)
class Beam:
    number: int
    energy: float        # MeV
    spread: float        # MeV
    densities: tuple     # relative stopping power of the layers
    particles: int


_rng = None
_edges = None


def start_worker(seed, ranks):
    global _rng, _edges
    _rng = np.random.default_rng([seed, ranks.get()])
    _edges = np.linspace(0.0, DEPTH_CM, BINS + 1)


def deposit(beam):
    """The depth dose curve of a beam, normalised to one, and its mean range."""
    energy = _rng.normal(beam.energy, beam.spread, size=beam.particles).clip(min=1.0)
    depth = np.zeros(beam.particles)
    dose = np.zeros(BINS)
    layer_width = DEPTH_CM / len(beam.densities)
    step = 0.25
    alive = np.ones(beam.particles, dtype=bool)
    while alive.any():
        layer = np.minimum((depth / layer_width).astype(int), len(beam.densities) - 1)
        density = np.asarray(beam.densities)[layer]
        loss = step * density * 260.0 / np.maximum(energy, 4.0) ** 0.77
        loss *= 1.0 + 0.08 * _rng.standard_normal(beam.particles)
        loss = np.where(alive, np.clip(loss, 0.0, energy), 0.0)
        dose += np.histogram(depth, bins=_edges, weights=loss)[0]
        energy = energy - loss
        depth = depth + np.where(alive, step, 0.0)
        alive = (energy > 0.5) & (depth < DEPTH_CM)
    return dose / dose.sum(), depth.mean()


def simulate(beams, workers, seed):
    context = multiprocessing.get_context("fork")
    ranks = context.Queue()
    for rank in range(workers):
        ranks.put(rank)
    with context.Pool(workers, initializer=start_worker, initargs=(seed, ranks)) as pool:
        results = list(pool.imap(deposit, beams, chunksize=1))
        pool.close()
        pool.join()
    curves, ranges = zip(*results)
    return np.stack(curves), np.array(ranges)
