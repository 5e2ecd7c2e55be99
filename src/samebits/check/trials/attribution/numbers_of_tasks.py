"""Processes that take tasks as they come, and draw for all of them from one generator each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.process_groups import process_groups
from samebits.check.diff.verdict import Cause
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.situation import Situation

_FIX = (
    "Seed at the beginning of each task, by the number of the task: torch.manual_seed(seed + "
    "number), before anything is drawn for it. Which process takes the task then makes no "
    "difference. Or give each process its share of the tasks, by its own number."
)


def numbers_of_who_took_the_task(situation: Situation, evidence: Evidence) -> Cause | None:
    """Where a process was seeded whose tasks were another one's in the second run.

    Args:
        situation: Where the two runs diverge.
        evidence: What both runs have noted up to there.

    Returns:
        None where no process drew otherwise, where processes of its line did not change tasks, or
        where they were not seeded, each as in the other run.

    Raises:
        TraceError: A run folder is damaged.
    """
    found = evidence.found
    names = found.processes
    if not (found.random and found.is_own_doing and evidence.shares_work) or len(names) != 2:
        return None
    if any(owner_of(name) != name for name in names) or evidence.unseeded:
        return None
    groups = [_of_its_line(run, names[0]) for run in situation.traces]
    if not _have_changed_tasks(*groups):
        return None
    seeds = [[_seeds(run, name) for name in groups[0]] for run in situation.traces]
    if seeds[0] != seeds[1]:
        return None
    own = situation.own_traces[0].ledger()
    begun = (row for row in own if row.event == "seed" and row.source.startswith("torch"))
    site = next((row.site for row in begun if row.site is not None and row.site.line > 0), None)
    return Cause(
        code="process-timing",
        detail="",
        file=found.file if site is None else site.file,
        line=found.line if site is None else site.line,
        evidence="Processes of one line did the same work in both runs, but other ones of them did "
        "it, and each drew for all of its tasks from a generator that was seeded once, with the "
        "same number in both runs. Which process took a task decided the numbers that were drawn "
        "for it.",
        fix=_FIX,
        confidence="likely",
    )


def _of_its_line(run: Trace, name: str) -> Mapping[str, int]:
    """How many operations each process did that the same line has started, by name."""
    for group in process_groups(run, lines=True).values():
        if any(process["name"] == name for process in group):
            return {process["name"]: _rows(process) for process in group}
    return {}


def _rows(process: Mapping[str, Any]) -> int:
    return int(process["rows"])


def _have_changed_tasks(first: Mapping[str, int], second: Mapping[str, int]) -> bool:
    """Whether processes did as much together in both runs, and some of them more or less."""
    together = sum(first.values()) == sum(second.values())
    return first.keys() == second.keys() and together and dict(first) != dict(second)


def _seeds(run: Trace, name: str) -> list[int]:
    """Digests of what a process has seeded, in order."""
    trace = run.process(name)
    rows = () if trace is None else trace.ledger()
    return [row.digest for row in rows if row.event == "seed"]
