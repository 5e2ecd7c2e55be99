"""All that comparing the ranks of one run shows."""

from __future__ import annotations

from samebits.check.agreement.ranks import ranks_of, teams
from samebits.check.agreement.replicas import replicas_disagree
from samebits.check.agreement.sharing import (
    duplicate_batches,
    duplicate_samples,
    identical_randomness,
    missing_data,
    same_order_each_epoch,
)
from samebits.check.diff.verdict import RunFinding
from samebits.check.trace.reader import Trace

_OF_TEAMS = (replicas_disagree, identical_randomness, duplicate_batches)
_OF_ALL = (same_order_each_epoch, duplicate_samples, missing_data)


def findings(trace: Trace) -> tuple[RunFinding, ...]:
    """What is wrong in a run of several ranks, whether or not it repeats.

    Args:
        trace: The run.

    Raises:
        TraceError: A run folder is damaged.
    """
    ranks = ranks_of(trace)
    of_teams = [found for look in _OF_TEAMS for team in teams(ranks) for found in look(team)]
    return (*of_teams, *(found for look in _OF_ALL for found in look(ranks)))


def findings_of_both(a: Trace, b: Trace) -> tuple[RunFinding, ...]:
    """What is wrong within either of two runs; what both have is said once.

    Args:
        a: Run A.
        b: Run B.

    Raises:
        TraceError: A run folder is damaged.
    """
    return tuple(dict.fromkeys((*findings(a), *findings(b))))
