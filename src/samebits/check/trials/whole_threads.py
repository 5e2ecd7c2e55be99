"""Further runs record all that threads compute, where the first ones left some of it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace


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


def _leaves_out(trace: Trace) -> bool:
    threads = (trace.process(thread["name"]) for thread in trace.manifest.threads)
    return any(thread.manifest.operations_left_out for thread in threads if thread is not None)
