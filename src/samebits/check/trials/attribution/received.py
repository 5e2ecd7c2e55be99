"""What a rank has received is not the same: told by rows, if need be by rows of every step."""

from __future__ import annotations

from dataclasses import replace

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution.between_ranks import is_hidden_by_steps, of_a_collective
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.scope import RunScope
from samebits.check.trials.attribution.situation import Situation

_IN_EVERY_STEP = RunScope(from_step=0)


def cause_of_received(case: Case, situation: Situation, evidence: Evidence) -> Cause | None:
    """The collective or the message that gave something else, where no rank had sent other data.

    Args:
        case: The runs that may be made.
        situation: Where the two runs diverge.
        evidence: What they have noted.

    Returns:
        None where rows do not show it, or where runs with seeds pinned agree longer.

    Raises:
        TraceError: A trace is damaged.
    """
    known = of_a_collective(situation)
    if known is None and is_hidden_by_steps(situation):
        known = _by_rows_of_every_step(case, situation)
    if known is None or not evidence.without_seed:
        return known
    # Rows do not show what NumPy has drawn into a received tensor.
    return None if case.pair_if_affordable(situation, frozenset({"seeds"})) else known


def _by_rows_of_every_step(case: Case, situation: Situation) -> Cause | None:
    """The same by two more runs, in which every rank records each operation."""
    try:
        trial = case.trials.pair(Interventions(pinned=situation.pinned), _IN_EVERY_STEP)
    except OutOfRunsError:
        return None  # a cause that takes fewer runs may still be found
    if not trial.usable or trial.divergence is None:
        return None
    return of_a_collective(replace(situation, closer=trial.divergence, closer_traces=trial.traces))
