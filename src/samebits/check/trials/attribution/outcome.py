"""How far the two runs of a trial came, seen from the place that is explained."""

from __future__ import annotations

from samebits.check.diff.position import is_alike, moved_on
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.tally import Outcome
from samebits.check.trials.attribution.trial import Trial


def came_further(situation: Situation, trial: Trial) -> bool:
    """Whether they agree there now, and diverge later if at all."""
    return trial.usable and moved_on(situation.found, trial.divergence)


def outcome_of(situation: Situation, trial: Trial | None) -> Outcome:
    """How far the runs of a usable trial came."""
    if trial is None or not moved_on(situation.found, trial.divergence):
        return Outcome.DIVERGED
    if trial.divergence is None:
        return Outcome.AGREED
    later = is_alike(situation.found, trial.divergence)
    return Outcome.LATER if later else Outcome.FURTHER
