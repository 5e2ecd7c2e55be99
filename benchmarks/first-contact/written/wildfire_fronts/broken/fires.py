"""Cellular fires, simulated in a pool of processes."""

import logging
import multiprocessing
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Burn:
    number: int
    wind: float
    dryness: float
    slope: float
    seed: int


class Local:
    """What each process of the pool keeps between burns."""

    slot = -1
    rng = None
    log = logging.getLogger("fires")


def start_process(counter, folder, seed):
    with counter.get_lock():
        Local.slot = counter.value
        counter.value += 1
    Local.rng = np.random.default_rng([seed, Local.slot])
    handler = logging.FileHandler(Path(folder) / f"pool-{Local.slot}.log")
    Local.log.addHandler(handler)
    Local.log.setLevel(logging.INFO)
    Local.log.info("process %d seed %d", os.getpid(), seed)


def spread(burn: Burn, size=40, hours=22):
    """Burnt share of the landscape by the hour."""
    rng = Local.rng
    fuel = rng.uniform(0.3, 1.0, (size, size))
    fire = np.zeros((size, size), bool)
    fire[size // 2, size // 4] = True
    burnt = fire.copy()
    chances = {(0, 1): 1 + burn.wind, (0, -1): 1 - burn.wind,
               (1, 0): 1 + burn.slope, (-1, 0): 1 - burn.slope}
    shares = []
    for _ in range(hours):
        heat = np.zeros((size, size))
        for (dy, dx), factor in chances.items():
            heat += factor * np.roll(fire, (dy, dx), (0, 1))
        caught = ~burnt & (rng.random((size, size)) < heat * fuel * burn.dryness)
        fire = caught | (fire & (rng.random((size, size)) < 0.4))
        burnt |= caught
        shares.append(burnt.mean())
    Local.log.info("burn %d share %.3f", burn.number, shares[-1])
    return np.array(shares, np.float32)


def simulate(burns, folder, seed, processes=2):
    context = multiprocessing.get_context("fork")
    counter = context.Value("i", 0)
    with context.Pool(processes, start_process, (counter, folder, seed)) as pool:
        return np.stack(list(pool.imap(spread, burns, chunksize=1)))
