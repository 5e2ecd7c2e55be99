"""Spread the transport runs over worker processes."""
import multiprocessing as mp

import numpy as np
import torch

from slab import transport

_state = {}


def _start(neutrons, seed):
    _state["neutrons"] = neutrons
    worker = mp.current_process()._identity[0]
    _state["rng"] = np.random.default_rng([seed, worker])


def _job(item):
    index, slab = item
    return index, transport(slab, _state["neutrons"], _state["rng"])


def simulate(slabs, neutrons, seed, workers):
    """Transmission and albedo of every slab, in the order of the slabs."""
    out = torch.zeros(len(slabs), 2)
    with mp.get_context("fork").Pool(workers, _start, (neutrons, seed)) as pool:
        for index, tally in pool.imap_unordered(_job, enumerate(slabs)):
            out[index] = torch.tensor(tally)
    return out
