"""A third run, where the first one left files that the second one found.

A script that makes a cache does so in its first run alone. That this run did more than the others
is no difference if all else agrees, and if a run that does not find the cache makes the same one.
Where the results differ, the later runs, which found the same files, tell why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from samebits.check.diff.artifacts import divergence_beside, exit_divergence, written_versions
from samebits.check.diff.changed_files import changed_paths
from samebits.check.diff.correspondence import base_name, correspondence
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.position import moved_on
from samebits.check.diff.surplus import agree_but_for_surplus
from samebits.check.diff.verdict import Divergence, NotCompared, Verdict
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.left_behind import left_files
from samebits.check.trials.runner import Runner
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.core.names import printable

_MOST_FILES = 3
_ONCE = "only run 1 made it: whether it comes out the same each time was not compared"
_OTHERWISE = "a run that did not find it made it otherwise, or came to other results"


@dataclass(frozen=True)
class LaterRuns:
    """The runs that found what the first one had left.

    Attributes:
        runs: The second run, the third, and those after it.
        compared: What comparing each of the others with the second one came to.
        note: What became of the first run.
        not_compared: The files that it alone has made, where everything else agrees.
    """

    runs: list[RunResult]
    compared: list[Verdict]
    note: str
    not_compared: tuple[NotCompared, ...] = ()


def later_runs(
    runner: Runner, results: Sequence[RunResult], of_first_two: Verdict
) -> LaterRuns | None:
    """The runs after the first one, where these are to be compared and not the first.

    Args:
        runner: Makes a third run where there is none.
        results: The runs of the check, in order.
        of_first_two: What comparing the first two of them came to.

    Returns:
        None where the first one left nothing that the second one found, where the first two differ
        in more than what was left, or where each run leaves something for the next.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    found = of_first_two.first_divergence
    if found is None:
        return None
    first, second = (Trace.open(result.folder) for result in results[:2])
    left = _left(first, second, found)
    if not left or not changed_paths(second).isdisjoint(left):
        return None
    runs = [*results[1:]]
    if len(runs) < 2:
        line = f" at {base_name(found.file)}:{found.line}" if found.file and found.line else ""
        label = f"runs 1 and 2 differ{line}; making run 3, which also finds what run 1 left"
        runs.append(runner.run(label, "run-3"))
    third = Trace.open(runs[1].folder)
    compared = [compare_traces(second, third)]
    compared += [compare_traces(second, Trace.open(run.folder)) for run in runs[2:]]
    names = " and ".join(printable(path, 200) for path in left[:_MOST_FILES])
    names += f" and {len(left) - _MOST_FILES} more files" if len(left) > _MOST_FILES else ""
    begin = f"run 1 wrote {names}, which the later runs found there"
    diverge = compared[0].first_divergence
    if diverge is None:
        if divergence_beside(second, third) is not None:
            return LaterRuns(runs, compared, f"{begin}: runs 2 and 3 are compared")
        if not agree_but_for_surplus(first, second):
            return None
        again = _made_again(runner, first, left)
        if again:
            note = f"{begin}; a run without made the same again, and came to the same bits as run 1"
            return LaterRuns(runs, compared, note)
        note = f"{begin}; all else that run 1 did gave the same bits"
        why = _ONCE if again is None else _OTHERWISE
        made = tuple(NotCompared("file", printable(path, 200), why) for path in left)
        return LaterRuns(runs, compared, note, made)
    if not moved_on(found, diverge) or _left(second, third, diverge):
        return None
    return LaterRuns(runs, compared, f"{begin}: runs 2 and 3 are compared")


def _made_again(runner: Runner, first: Trace, left: Sequence[str]) -> bool | None:
    """Whether a run that does not find the files makes them as run 1 did, and does all as it did.

    Args:
        runner: Makes that run.
        first: Run 1.
        left: Absolute paths of the files that it left.

    Returns:
        None where the run could not tell: it found them all the same, as a library in C does that
        opens files by itself, or it ended otherwise.
    """
    hidden = Surroundings(hooks=(HookSpec(name="files", settings={"absent": list(left)}),))
    plan = replace(runner.plan, surroundings=runner.plan.surroundings | hidden)
    label = "making a run that does not find what run 1 left"
    result = runner.run(label, "without-what-was-left", plan, may_fail=True)
    if result.failure is not None:
        return None
    again = Trace.open(result.folder)
    wrote = written_versions(again)
    if exit_divergence(first, again) is not None or not wrote.keys() >= set(left):
        return None
    of_first = written_versions(first)
    same = all(wrote[path] == of_first.get(path) for path in left)
    same = same and compare_traces(first, again).verdict == "same"
    return same and divergence_beside(first, again) is None


def _left(a: Trace, b: Trace, found: Divergence) -> list[str]:
    """Files that one run wrote and the next one found, before they diverge."""
    entries = pair_ledgers(found, list(a.ledger()), list(b.ledger()), correspondence(a, b))
    return left_files(a, b, entries)
