"""What the operation that diverges shows by itself, in every run."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.trace.schema import Flag


def is_shown_by_the_operation(hypothesis: Hypothesis, evidence: Evidence) -> bool:
    """Whether the operation that diverges shows the cause itself, in every run.

    It draws from a generator that nobody had seeded, or reads memory that nobody had written.
    """
    if hypothesis.code == "uninitialized-memory":
        return bool(evidence.flags & Flag.READS_UNWRITTEN)
    if hypothesis.code not in ("unseeded-rng", "worker-rng", "rank-rng"):
        return False
    own = any(
        entry.unseeded and entry.row.source.startswith("torch") for entry in hypothesis.entries
    )
    return evidence.found.random and own


def is_a_draw_that_nobody_seeded(hypothesis: Hypothesis, evidence: Evidence) -> bool:
    """Whether the operation draws, given the same in both runs, and torch was seeded nowhere.

    Its generator starts at random in every process, so that no two of them draw the same.
    """
    found = evidence.found
    return (
        hypothesis.code in ("unseeded-rng", "rank-rng")
        and is_shown_by_the_operation(hypothesis, evidence)
        and found.is_own_doing
        and not evidence.torch_is_seeded
    )
