"""A generator that only some of the ranks have seeded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.unseeded_rng import Seeding, is_of_a_rank, unseeded_in
from samebits.check.causes.writing.seeds import unseeded_generator
from samebits.core.source.statement import Statement

_AT_EACH_RANK = (
    "Call samebits.seed_everything(0, rank=rank) on every rank, right after init_process_group and "
    "outside of any `if rank == 0`, before anything is drawn: each rank then draws numbers of its "
    "own, the same ones in every run."
)


class RankRng(Seeding):
    """One rank draws from a generator that another rank has seeded, and it has not."""

    code: ClassVar[str] = "rank-rng"
    meaning: ClassVar[str] = (
        "A rank drew from a generator that it had not seeded, although another rank of the same "
        "run had."
    )
    look: ClassVar[str] = _AT_EACH_RANK
    look_elsewhere: ClassVar[str] = _AT_EACH_RANK

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Where all that was drawn without a seed comes from generators seeded on another rank."""
        if is_of_a_rank(evidence):
            standing, entries = unseeded_in(evidence)
            yield Hypothesis(pin="seeds", code=self.code, standing=standing, entries=entries)

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """A generator that somebody made, with a seed."""
        return unseeded_generator(statement, culprit)
