"""All that comparing the ranks and loader workers of one run with each other shows."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.check.agreement.collectives import results_disagree
from samebits.check.agreement.loader_workers import workers_draw_alike
from samebits.check.agreement.ranks import ranks_of, teams
from samebits.check.agreement.replicas import replicas_disagree
from samebits.check.agreement.shares import missing_from_shares, overlapping_shares
from samebits.check.agreement.sharing import (
    duplicate_batches,
    duplicate_samples,
    identical_randomness,
    missing_data,
    same_order_each_epoch,
)
from samebits.check.diff.process_names import process_name
from samebits.check.diff.verdict import RunFinding
from samebits.check.trace.reader import Trace

_OF_TEAMS = (
    replicas_disagree,
    identical_randomness,
    duplicate_batches,
    overlapping_shares,
    missing_from_shares,
)
_OF_ALL = (same_order_each_epoch, duplicate_samples, missing_data)


def findings(trace: Trace) -> tuple[RunFinding, ...]:
    """What is wrong in a run by itself, whether or not it repeats.

    Args:
        trace: The run.

    Raises:
        TraceError: A run folder is damaged.
    """
    ranks = ranks_of(trace)
    of_teams = [found for look in _OF_TEAMS for team in teams(ranks) for found in look(team)]
    of_all = [found for look in _OF_ALL for found in look(ranks)]
    of_collectives = results_disagree(ranks)
    return (*of_teams, *of_collectives, *of_all, *workers_draw_alike(_processes(trace)))


def _processes(trace: Trace) -> Iterator[tuple[str, Trace]]:
    """Every recorded process of a run with its name; the script's own has none."""
    yield "", trace
    for process in trace.manifest.processes:
        own = trace.process(process["name"]) if process["kind"] != "thread" else None
        if own is not None:
            rank = process["rank"]
            yield f"rank {rank}" if rank.isdecimal() else process_name(process), own


def findings_of_both(a: Trace, b: Trace) -> tuple[RunFinding, ...]:
    """What is wrong within either of two runs; what both have is said once.

    Args:
        a: Run A.
        b: Run B.

    Raises:
        TraceError: A run folder is damaged.
    """
    return tuple(dict.fromkeys((*findings(a), *findings(b))))
