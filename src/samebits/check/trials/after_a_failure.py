"""A run that does not find what run 1 left, where run 2 failed and run 1 did not.

A script that makes its database, or a file that must not be there, fails where it lies there
already. That says nothing of what it computes: run 1 is compared with a run that finds none of the
files which run 1 has written.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from samebits.check.diff.artifacts import exit_divergence
from samebits.check.diff.changed_files import changed_paths, found_paths
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.divergence import compare_traces
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.after_the_first import LaterRuns, hiding
from samebits.check.trials.endings import has_failed
from samebits.check.trials.kept_between_runs import names_of
from samebits.check.trials.runner import Runner
from samebits.core.names import printable


def run_that_does_not_fail(runner: Runner, results: Sequence[RunResult]) -> LaterRuns | None:
    """Run 1, and one that does not find what it left, where that is why run 2 failed.

    Run 2 may have failed by chance: a third run has to fail at the same line, with the same words.

    Args:
        runner: Makes further runs.
        results: The runs of the check, in order; they did not all end alike.

    Returns:
        None where run 1 failed as well or left no file, where another run that finds these does not
        fail like run 2, or where the one that does not find them does not end like run 1.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    first_run, second_run, *others = results
    first, second = Trace.open(first_run.folder), Trace.open(second_run.folder)
    failure = _failure(second)
    met = changed_paths(second)
    made = filter(os.path.isfile, changed_paths(first) - found_paths(first))
    left = sorted(made, key=lambda path: (path not in met, path))
    if has_failed(first_run) or second_run.timed_out or failure is None or not left:
        return None
    where = _place(second)
    if not others:
        label = f"run 2 fails{where} and run 1 did not; making run 3, which also finds its files"
        others = [runner.run(label, "run-3", may_fail=True)]
    if any(_failure(Trace.open(run.folder)) != failure for run in others):
        return None
    hidden = hiding(left)
    plan = replace(runner.plan, surroundings=runner.plan.surroundings | hidden)
    label = "making a run that does not find what run 1 left"
    result = runner.run(label, "without-what-was-left", plan, may_fail=True)
    again = Trace.open(result.folder)
    if result.failure is not None or exit_divergence(first, again) is not None:
        return None
    error = f"{failure[0]}: {printable(failure[1], 200)}" if failure[1] else failure[0]
    note = (
        f"run 2 failed{where} ({error}), and so did run 3: they found what run 1 had written, "
        f"{names_of(left)}; run 1 is compared with a run that did not find it"
    )
    verdict = compare_traces(first, again)
    return LaterRuns([first_run, result], [verdict], note, with_the_first=True, hidden=hidden)


def _failure(trace: Trace) -> tuple[str, str, str, int] | None:
    """What ended a run: the exception, its words and its line; None where none did."""
    ending = trace.manifest.ending
    if not ending.get("error"):
        return None
    return ending["error"], ending["message"], ending["file"], ending["line"]


def _place(trace: Trace) -> str:
    ending = trace.manifest.ending
    return f" at {base_name(ending['file'])}:{ending['line']}" if ending.get("file") else ""
