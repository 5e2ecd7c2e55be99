"""A generator in a worker of a DataLoader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.unseeded_rng import Seeding, is_of_workers, unseeded_in
from samebits.check.causes.variation import Compared, LineSource, Variation
from samebits.check.causes.writing.seeds import generator_in_worker
from samebits.core.source.statement import Statement


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
    lines: ClassVar[tuple[LineSource, ...]] = ("ledger", "worker")
    compares: ClassVar[Compared] = "results"
    hook: ClassVar[str | None] = "workers"
    idle: ClassVar[str | None] = "the script made no DataLoader"


class WorkerRng(Seeding):
    """Workers draw from generators of their own."""

    code: ClassVar[str] = "worker-rng"
    meaning: ClassVar[str] = "A generator in a DataLoader's worker drew different numbers."
    look: ClassVar[str] = (
        "Give the DataLoader a generator=torch.Generator().manual_seed(0), and seed a generator of "
        "your own in worker_init_fn."
    )
    variations: ClassVar[tuple[Variation, ...]] = (WorkersVariation(),)

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Where nothing was drawn without a seed but in workers."""
        if is_of_workers(evidence):
            standing, entries = unseeded_in(evidence)
            yield Hypothesis(pin="seeds", code=self.code, standing=standing, entries=entries)

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """The generator with a seed that each worker has for itself."""
        return generator_in_worker(statement, culprit)
