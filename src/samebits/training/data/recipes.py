"""Seeding for those who keep torch's DataLoader: a generator for it, and a `worker_init_fn`.

loader = torch.utils.data.DataLoader(
dataset,
shuffle=True,
num_workers=4,
worker_init_fn=samebits.data.seed_worker,
generator=samebits.data.generator(0),
)
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from samebits.training.control.streams import Streams, seed_bits, seed_sequence

if TYPE_CHECKING:
    import torch


def generator(seed: int, *, rank: int | None = None) -> torch.Generator:
    """A generator for torch's DataLoader, which orders the samples and seeds the workers by it.

    Its stream is not that of `torch.manual_seed(seed)`: with the same numbers for the first
    weights and the first shuffle, the two would not be independent.

    Args:
        seed: From 0 to 2**64 - 1.
        rank: For an order of its own on each rank; leave it away with a DistributedSampler.

    Returns:
        A new generator on the CPU.

    Raises:
        UsageError: The seed or the rank is not usable.
    """
    return Streams(seed, rank=rank).torch("samebits.data.generator")


def seed_worker(worker_id: int) -> None:
    """Seed Python's, NumPy's and torch's generators in a worker; a `worker_init_fn`.

    torch gives each worker of each epoch a seed of its own, drawn from the loader's generator. The
    three generators are seeded from all of it, each in its own way: the customary
    `torch.initial_seed() % 2**32` keeps half of it and gives all three the same number.

    Args:
        worker_id: The worker's number. It is part of torch's seed, and not used besides.
    """
    import numpy as np
    import torch

    seed = torch.initial_seed()
    random.seed(seed_bits(seed_sequence(seed, "worker-python", "", None), 256))
    words = seed_sequence(seed, "worker-numpy", "", None).generate_state(8)
    np.random.seed(words.tolist())  # noqa: NPY002 (the legacy one)
    torch.manual_seed(seed)
