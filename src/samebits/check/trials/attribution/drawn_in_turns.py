"""Threads that drew from one generator in other turns, where no run is needed to tell."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.shared_generators import drawn_in_turns, drew_in_turns, own_generators
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.rivals import only_pace_explains
from samebits.check.trials.attribution.situation import Situation

_BY_TIMING = "who gets which numbers goes by timing"
_NOTHING_ELSE = "nothing else that the runs have noted explains data that differ"


def draws_in_other_turns(situation: Situation, evidence: Evidence) -> Cause | None:
    """The generator, where a draw of torch differs, or data do and nothing else explains it.

    Else what was drawn may have nothing to do with what differs, and further runs tell.

    Args:
        situation: Where the two runs diverge.
        evidence: What both have noted up to there.
    """
    found = evidence.found
    pair = drawn_in_turns(evidence)
    if pair is None:
        return None
    drew = found.random and found.is_own_doing and pair.row.detail.startswith("torch.Generator")
    if not drew:
        differs = found.data or found.detail == PLAIN_ARGUMENTS
        if not differs or not only_pace_explains(situation, evidence):
            return None
    place = of_entry(pair)
    return Cause(
        code="thread-timing",
        detail="",
        file=place.file,
        line=place.line,
        evidence=f"{drew_in_turns(pair)}: {_BY_TIMING if drew else _NOTHING_ELSE}.",
        fix=own_generators(pair),
        confidence="likely",
        process=found.process,
    )
