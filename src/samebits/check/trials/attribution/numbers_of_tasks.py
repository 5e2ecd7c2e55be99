"""Processes that take tasks as they come, and draw for all of them from one generator each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.process_groups import process_groups
from samebits.check.diff.verdict import Cause
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.situation import Situation

_OF_TORCH = ("torch-cpu", "torch-cuda")
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
        None where no process drew other numbers, where the processes that the same line started
        did not swap tasks, or where they were not seeded, each as in the other run.

    Raises:
        TraceError: A run folder is damaged.
    """
    found = evidence.found
    names = found.processes
    if not (found.random and found.is_own_doing and evidence.shares_work) or len(names) != 2:
        return None
    if any(owner_of(name) != name for name in names) or evidence.unseeded:
        return None
    runs = [_of_its_line(run, name) for run, name in zip(situation.traces, names, strict=True)]
    if not all(runs) or runs[0].keys() != runs[1].keys():
        return None
    if not (_have_swapped(*runs, of=_operations) and _have_swapped(*runs, of=_numbers_drawn)):
        return None
    seeds = [[_seeds(own) for own in run.values()] for run in runs]
    inherited = not any(map(any, seeds))
    if inherited:
        seeds = [[_seeds(run)] for run in situation.traces]
    if seeds[0] != seeds[1] or not all(seeds[0]):
        return None
    own = runs[0][names[0]].ledger()
    begun = (row.site for row in own if row.event == "seed" and row.source in _OF_TORCH)
    site = next((site for site in begun if site is not None and site.line > 0), None)
    generator = (
        "the state that a generator had when the process was forked"
        if inherited
        else "a generator that was seeded once, with the same number in both runs"
    )
    return Cause(
        code="process-timing",
        detail="",
        file=found.file if site is None else site.file,
        line=found.line if site is None else site.line,
        evidence="Processes that the same line has started did as much in both runs, but divided "
        f"it differently, and each drew for all of its tasks from {generator}. Which process took "
        "a task decided the numbers that were drawn for it.",
        fix=_FIX,
        confidence="likely",
    )


def _of_its_line(run: Trace, name: str) -> dict[str, Trace]:
    """What each process recorded that the same line has started as one of them, by its name."""
    for group in process_groups(run, lines=True).values():
        if any(process["name"] == name for process in group):
            recorded = ((process["name"], run.process(process["name"])) for process in group)
            return {name: trace for name, trace in recorded if trace is not None}
    return {}


def _have_swapped(
    first: Mapping[str, Trace], second: Mapping[str, Trace], *, of: Callable[[Trace], int]
) -> bool:
    """Whether processes did as much together in both runs, and some of them more or less."""
    done = [{name: of(trace) for name, trace in run.items()} for run in (first, second)]
    return sum(done[0].values()) == sum(done[1].values()) and done[0] != done[1]


def _operations(trace: Trace) -> int:
    return int(trace.manifest.counts["ops"])


def _numbers_drawn(trace: Trace) -> int:
    rows = trace.ledger()
    return sum(row.amount for row in rows if row.event == "draw" and row.source in _OF_TORCH)


def _seeds(trace: Trace) -> list[tuple[object, ...]]:
    """What a process has seeded itself, in order."""
    rows = (row for row in trace.ledger() if row.event == "seed" and row.process == 0)
    return [(row.source, row.site and row.site.line, row.digest) for row in rows]
