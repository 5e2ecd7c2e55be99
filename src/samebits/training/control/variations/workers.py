"""Another number of loader workers."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.variation import Compared, Variation


class WorkersVariation(Variation):
    """Each DataLoader has another number of workers."""

    name: ClassVar[str] = "workers"
    what: ClassVar[str] = "another num_workers in each DataLoader"
    meaning: ClassVar[str] = (
        "the data depend on which worker makes them: a dataset or a transform draws from a global "
        "generator, and each worker has one of its own"
    )
    fix: ClassVar[str] = (
        "Draw from a generator that is seeded for each sample, such as "
        "numpy.random.default_rng([seed, epoch, index])."
    )
    cause: ClassVar[str] = "worker-rng"
    compares: ClassVar[Compared] = "results"
    hook: ClassVar[str | None] = "workers"
    idle: ClassVar[str | None] = "the script made no DataLoader"
