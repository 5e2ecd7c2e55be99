"""Further runs record all that threads compute, where the first ones left some of it out.

Where a thread's record ends, something may have been under way that is none of a difference once it
is done: a set walked in another order, a number drawn and overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from samebits.check.diff.artifacts import divergence_beside
from samebits.check.diff.correspondence import base_name, correspondence
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.operations import compare_operations
from samebits.check.diff.verdict import NotCompared, Verdict
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.after_the_first import LaterRuns
from samebits.check.trials.runner import Runner

_NOTE = (
    "a thread computed on after the last of its operations that the first runs recorded, and what "
    "they recorded of it differed: two more runs recorded all of it, and are compared"
)
_GONE = (
    "the first runs differed in what it computed{place}, and two more runs, which recorded all "
    "of it, did not: the difference is intermittent, and reached no step, file or printed line"
)


def with_whole_threads(plan: RunPlan, results: Iterable[RunResult]) -> RunPlan:
    """The plan of runs that are made to look closer, or to find a cause.

    A difference that the first runs show in their steps may be one that a thread has made, after
    the last of its operations that they recorded. And a run that is compared with them has to have
    recorded whatever they may differ in.

    Args:
        plan: How the first runs were made.
        results: These runs.
    """
    left_out = any(_leaves_out(Trace.open(result.folder)) for result in results)
    return replace(plan, thread_operations=None) if left_out else plan


def whole_runs(
    runner: Runner, results: tuple[RunResult, RunResult], compared: Verdict
) -> LaterRuns | None:
    """Two runs that record all of their threads, where that of the others does not tell enough.

    Args:
        runner: Makes them.
        results: Two runs of the check.
        compared: What comparing them came to.

    Returns:
        None where these agree, or differ in more than what a thread has computed that left out
        some of its operations.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    if not differ_in_left_out_threads(results, compared):
        return None
    plan = replace(runner.plan, thread_operations=None)
    label = "a thread differs before the end of its record; recording all of it"
    pair = runner.pair(label, "whole", (plan, plan))
    a, b = (Trace.open(run.folder) for run in pair)
    verdict = compare_traces(a, b)
    found = compared.first_divergence
    assert found is not None
    unexplained: tuple[NotCompared, ...] = ()
    if verdict.first_divergence is None and not _is_in_disorder(a, b, found.processes):
        place = f" at {base_name(found.file)}:{found.line}" if found.file else ""
        why = _GONE.format(place=place)
        unexplained = (NotCompared("process", found.process, why),)
    return LaterRuns(list(pair), [verdict], _NOTE, unexplained)


def differ_in_left_out_threads(results: tuple[RunResult, RunResult], compared: Verdict) -> bool:
    """Whether nothing tells two runs apart but a thread that left out some of its operations.

    Args:
        results: The runs.
        compared: What comparing them came to.

    Raises:
        TraceError: A run folder is damaged.
    """
    found = compared.first_divergence
    if found is None or not found.processes:
        return False
    first, second = (Trace.open(result.folder) for result in results)
    threads = (run.process(name) for run in (first, second) for name in found.processes)
    if not any(thread.manifest.operations_left_out for thread in threads if thread is not None):
        return False
    without = compare_traces(first, second, threads=False)
    return without.first_divergence is None and divergence_beside(first, second) is None


def _is_in_disorder(a: Trace, b: Trace, names: Iterable[str]) -> bool:
    """Whether threads of two runs that agree do so in another order, or after other draws.

    Then that is what the first runs differed in, cut short. Where they do exactly the same, it is
    a difference that comes and goes.
    """
    for name in dict.fromkeys(names):
        one, other = a.process(name), b.process(name)
        if one is None or other is None:
            return True
        seen = compare_operations(one, other, correspondence(one, other))
        if seen.divergence or seen.reordered or seen.overwritten or seen.dropped:
            return True
    return False


def _leaves_out(trace: Trace) -> bool:
    threads = (trace.process(thread["name"]) for thread in trace.manifest.threads)
    return any(thread.manifest.operations_left_out for thread in threads if thread is not None)
