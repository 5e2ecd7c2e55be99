"""All that comparing the ranks of one run shows."""

from __future__ import annotations

from samebits.check.agreement.ranks import ranks_of
from samebits.check.agreement.replicas import replicas_disagree
from samebits.check.agreement.sharing import (
    duplicate_data,
    identical_randomness,
    missing_data,
    same_order_each_epoch,
)
from samebits.check.diff.verdict import RunFinding
from samebits.check.trace.reader import Trace

_LOOKS = (
    replicas_disagree,
    identical_randomness,
    same_order_each_epoch,
    duplicate_data,
    missing_data,
)


def findings(trace: Trace) -> tuple[RunFinding, ...]:
    """What is wrong in a run of several ranks, whether or not it repeats.

    Args:
        trace: The run.

    Raises:
        TraceError: A run folder is damaged.
    """
    ranks = ranks_of(trace)
    return tuple(found for look in _LOOKS for found in look(ranks))


def findings_of_both(a: Trace, b: Trace) -> tuple[RunFinding, ...]:
    """What is wrong within either of two runs; what both have is said once.

    Args:
        a: Run A.
        b: Run B.

    Raises:
        TraceError: A run folder is damaged.
    """
    return tuple(dict.fromkeys((*findings(a), *findings(b))))
