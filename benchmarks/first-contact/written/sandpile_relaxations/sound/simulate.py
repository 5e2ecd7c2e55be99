"""Abelian sandpiles, relaxed by a pool of processes."""
import multiprocessing as mp
from dataclasses import dataclass

import numpy as np

SIZE = 20

_pile = None
_seed = None


@dataclass(frozen=True)
class Job:
    index: int
    grains: int


def _start(seed):
    global _pile, _seed
    _pile = np.zeros((SIZE + 2, SIZE + 2), dtype=np.int16)
    _seed = seed


def topple(pile):
    """Relax in place, and say how many sites have toppled."""
    toppled = 0
    while True:
        pile[0] = pile[-1] = 0
        pile[:, 0] = pile[:, -1] = 0
        over = pile >= 4
        count = int(over.sum())
        if count == 0:
            return toppled
        toppled += count
        pile[over] -= 4
        pile[1:] += over[:-1]
        pile[:-1] += over[1:]
        pile[:, 1:] += over[:, :-1]
        pile[:, :-1] += over[:, 1:]


def relax(job):
    rng = np.random.default_rng([_seed, job.index])
    pile = _pile
    pile[:] = 0
    pile[1:-1, 1:-1] = rng.integers(1, 4, size=(SIZE, SIZE))
    topple(pile)
    before = pile[1:-1, 1:-1].copy()
    y, x = rng.integers(1, SIZE + 1, size=2)
    pile[y, x] += job.grains
    return before.astype(np.float32), (int(y) - 1, int(x) - 1), topple(pile)


def relax_all(jobs, seed, processes=3):
    with mp.get_context("fork").Pool(processes, initializer=_start, initargs=(seed,)) as pool:
        yield from pool.imap(relax, jobs, chunksize=2)
