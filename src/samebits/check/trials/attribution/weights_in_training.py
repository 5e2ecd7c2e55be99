"""Weights that were handed to a thread which read them while they were trained."""

from __future__ import annotations

from samebits.check import causes
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hand_overs import handed_over
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution import culprit

_HOLDS = "clock"
"""The pin that holds a thread which sleeps until the script's own waits for it, by the way."""


def weights_in_training(evidence: Evidence, hypothesis: Hypothesis | None = None) -> Cause | None:
    """The line that handed them over, where data differ that somebody may have made of them.

    Args:
        evidence: What both runs have noted up to where they diverge.
        hypothesis: What has made the runs agree; None where nothing has.

    Returns:
        None too where another thread or process had nothing to do with what made them agree, or
        where a generator was seeded with another number, which data may be made of.
    """
    handed = handed_over(evidence) if evidence.found.data and not evidence.other_seeds else None
    if handed is None or (hypothesis is not None and hypothesis.pin != _HOLDS):
        return None
    rows = [entry.row for entry in evidence.of("thread", "process")]
    code = (
        "process-timing" if rows and all(r.source == "process" for r in rows) else "thread-timing"
    )
    place = culprit.of_entry(handed)
    settled = (
        ""
        if hypothesis is None
        else (f" With {causes.known(hypothesis.code).pins[0].what}, both runs agree here.")
    )
    return Cause(
        code=code,
        detail="",
        file=place.file,
        line=place.line,
        evidence="Weights are handed over here that go on being trained, and no copy of them: what "
        f"the other side reads goes by when it does.{settled}",
        fix=fix(code, place, frozenset()),
        confidence="likely",
    )
