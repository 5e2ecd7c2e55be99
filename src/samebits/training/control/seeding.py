"""Seeding every global generator of a process at once."""

from __future__ import annotations

import functools
import random
import warnings
from dataclasses import dataclass

from samebits.core.on_import import when_imported
from samebits.training.control.seeders import run_seeders
from samebits.training.control.streams import Streams, seed_bits, seed_sequence


@dataclass(frozen=True)
class GlobalSeeds:
    """What each global generator is seeded with.

    Attributes:
        python: For `random.seed`.
        numpy: For `numpy.random.seed`: one 32-bit integer, or the words of a longer key.
        torch: For `torch.manual_seed`, and for seeders of further libraries; 64 bits.
    """

    python: int
    numpy: int | tuple[int, ...]
    torch: int


def global_seeds(seed: int, rank: int | None = None) -> GlobalSeeds:
    """Derive the seeds of the global generators.

    Without a rank the generators get the seed itself (NumPy's takes no more than 32 bits: it gets
    `seed % 2**32`), so that a program gives the numbers it gave when it called the three seeding
    functions on its own. With a rank every seed is derived from both, and NumPy's is 256 bits long,
    so that no two ranks share a stream.
    """
    if rank is None:
        return GlobalSeeds(python=seed, numpy=seed % 2**32, torch=seed)
    key = seed_sequence(seed, "global-numpy", "", rank)
    return GlobalSeeds(
        python=seed_bits(seed_sequence(seed, "global-python", "", rank), 64),
        numpy=tuple(int(word) for word in key.generate_state(8)),
        torch=seed_bits(seed_sequence(seed, "global-torch", "", rank), 64),
    )


def seed_everything(seed: int, *, rank: int | None = None, lazy: bool = False) -> Streams:
    """Seed every global generator: Python's, NumPy's legacy one, torch's on all devices.

    torch's covers the CPU, every CUDA GPU, MPS and XPU; devices that are not started yet are seeded
    when they are. Libraries beyond these are seeded when they register a seeder in the entry point
    group `samebits.seeders`; one that fails is reported by a `RuntimeWarning` and in
    `Streams.failures`, and the others are still run.

    Generators that a program makes for itself (`numpy.random.default_rng()`, `random.Random()`,
    `torch.Generator()`) are beyond the reach of any seeding: take them from the returned streams.

    Args:
        seed: From 0 to 2**64 - 1. Without a rank, `random`, `numpy.random` (modulo 2**32) and
            `torch` get this very number.
        rank: This process's rank, when each rank is to draw numbers of its own.
        lazy: Import neither NumPy nor torch for this: seed each when the program imports it.
            With a rank, NumPy is needed for the derivation and imported all the same.

    Returns:
        The streams of the seed, for further generators by name.

    Raises:
        UsageError: The seed or the rank is not usable.
    """
    streams = Streams(seed, rank=rank)
    seeds = global_seeds(streams.seed, streams.rank)
    random.seed(seeds.python)
    for module, seeder in (
        ("numpy", functools.partial(_seed_numpy, seeds.numpy)),
        ("torch", functools.partial(_seed_torch, seeds.torch)),
    ):
        if lazy:
            when_imported(module, seeder)
        else:
            seeder()
    streams.failures = run_seeders(seeds.torch)
    for failure in streams.failures:
        warnings.warn(failure, RuntimeWarning, stacklevel=2)
    return streams


def _seed_numpy(seed: int | tuple[int, ...]) -> None:
    import numpy as np

    np.random.seed(seed if isinstance(seed, int) else list(seed))  # noqa: NPY002 (the legacy one)


def _seed_torch(seed: int) -> None:
    import torch

    torch.manual_seed(seed)
