"""How far the two runs of a trial came, seen from the place that is explained."""

from __future__ import annotations

from samebits.check.diff.position import is_alike, last_row, moved_on
from samebits.check.diff.verdict import Divergence
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.tally import Outcome
from samebits.check.trials.attribution.trial import Trial

_OWN = "0"
"""The name of the script's own process."""


def came_further(situation: Situation, trial: Trial) -> bool:
    """Whether they agree there now, and diverge later if at all."""
    return trial.usable and _moved_on(situation, trial.divergence)


def outcome_of(situation: Situation, trial: Trial | None) -> Outcome:
    """How far the runs of a usable trial came."""
    if trial is None or not _moved_on(situation, trial.divergence):
        return Outcome.DIVERGED
    if trial.divergence is None:
        return Outcome.AGREED
    later = is_alike(situation.found, trial.divergence)
    return Outcome.LATER if later else Outcome.FURTHER


def _moved_on(situation: Situation, now: Divergence | None) -> bool:
    in_another = now is not None and bool(now.processes)
    return moved_on(situation.found, now) or (in_another and _is_before_any_process(situation))


def _is_before_any_process(situation: Situation) -> bool:
    """Whether the script's own process diverges before it starts another one.

    Whatever differs in one that it starts comes later, then.
    """
    found = situation.found
    if found.processes or found.process or found.rows == (None, None):
        return False
    return all(
        process["row"] >= last_row(found)
        for trace in situation.traces
        for process in trace.manifest.processes
        if process["starter"] == _OWN
    )
