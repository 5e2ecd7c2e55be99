"""A third run, where the first one left files that the second one found.

A script that makes a cache does so in its first run alone. That this run did more than the others
is no difference if all else agrees, and if a run that does not find the cache makes the same one.
If that makes another, these two began with the same files and differ: it stands in for run 2.
Where the results differ, the later runs, which found the same files, tell why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from samebits.check.diff.artifacts import divergence_beside, exit_divergence
from samebits.check.diff.changed_files import changed_paths
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.position import moved_on
from samebits.check.diff.surplus import agree_but_for_surplus
from samebits.check.diff.verdict import Divergence, NotCompared, Verdict
from samebits.check.diff.written_files import written_versions
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.left_behind import left_besides
from samebits.check.trials.kept_between_runs import left_for_the_next, names_of
from samebits.check.trials.runner import Runner
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.core.names import printable

_ONCE = "only run 1 made it: whether it comes out the same each time was not compared"


@dataclass(frozen=True)
class LaterRuns:
    """The runs to compare where the first one has left something.

    Attributes:
        runs: The runs that count: the second run, the third, and those after it, which found what
            the first one had left; or the first one and one that did not find it.
        compared: What comparing each of the others with the first of these came to.
        note: What became of the first run.
        not_compared: The files that it alone has made, where everything else agrees.
        with_the_first: Whether the first run is among those that count.
        hidden: What hides these files; None where the runs found them.
    """

    runs: list[RunResult]
    compared: list[Verdict]
    note: str
    not_compared: tuple[NotCompared, ...] = ()
    with_the_first: bool = False
    hidden: Surroundings | None = None


def later_runs(
    runner: Runner, results: Sequence[RunResult], of_first_two: Verdict
) -> LaterRuns | None:
    """The runs that are to be compared where the first one left what the second one found.

    Args:
        runner: Makes further runs.
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
    first, second = (Trace.open(result.folder) for result in results[:2])
    left = left_besides(first, second) if found is None else left_for_the_next(first, second, found)
    if not left or not _changed_otherwise(first, second, found).isdisjoint(left):
        return None
    begin = f"run 1 wrote {names_of(left)}, which the later runs found there"
    if found is None:
        others = [compare_traces(first, Trace.open(run.folder)) for run in results[2:]]
        compared = [of_first_two, *others]
        known = LaterRuns([*results], compared, "", with_the_first=True)
        return _made_again(runner, results[0], known, left, begin)
    runs = [*results[1:]]
    if len(runs) < 2:
        line = f" at {base_name(found.file)}:{found.line}" if found.file and found.line else ""
        label = f"runs 1 and 2 differ{line}; making run 3, which also finds what run 1 left"
        runs.append(runner.run(label, "run-3"))
    third = Trace.open(runs[1].folder)
    compared = [compare_traces(second, third)]
    compared += [compare_traces(second, Trace.open(run.folder)) for run in runs[2:]]
    diverge = compared[0].first_divergence
    if diverge is None:
        if divergence_beside(second, third) is not None:
            return LaterRuns(runs, compared, f"{begin}: runs 2 and 3 are compared")
        if not agree_but_for_surplus(first, second):
            return None
        return _made_again(runner, results[0], LaterRuns(runs, compared, ""), left, begin)
    if not moved_on(found, diverge) or left_for_the_next(second, third, diverge):
        return None
    return LaterRuns(runs, compared, f"{begin}: runs 2 and 3 are compared")


def hiding(files: Sequence[str]) -> Surroundings:
    """What lets a run not find some files: it may make them anew, for itself alone.

    Args:
        files: Their absolute paths.
    """
    return Surroundings(hooks=(HookSpec(name="files", settings={"absent": list(files)}),))


def _made_again(
    runner: Runner,
    first_run: RunResult,
    known: LaterRuns,
    left: Sequence[str],
    begin: str,
) -> LaterRuns:
    """What a run tells that does not find the files: whether it makes them, and does all, as run 1.

    It may tell nothing: where it found them all the same, as a library in C does that opens files
    by itself, or ended otherwise.

    Args:
        runner: Makes that run.
        first_run: Run 1.
        known: The runs that agree.
        left: Absolute paths of the files that run 1 left.
        begin: What to say of them.
    """
    first = Trace.open(first_run.folder)
    hidden = hiding(left)
    plan = replace(runner.plan, surroundings=runner.plan.surroundings | hidden)
    label = "making a run that does not find what run 1 left"
    result = runner.run(label, "without-what-was-left", plan, may_fail=True)
    if result.failure is not None or not _made(Trace.open(result.folder), first, left):
        made = tuple(NotCompared("file", printable(path, 200), _ONCE) for path in left)
        note = f"{begin}; all else that run 1 did gave the same bits"
        return replace(known, note=note, not_compared=made)
    again = Trace.open(result.folder)
    made_now, made_first = written_versions(again), written_versions(first)
    verdict = compare_traces(first, again)
    if (
        all(made_now[path] == made_first.get(path) for path in left)
        and verdict.verdict == "same"
        and divergence_beside(first, again) is None
    ):
        note = f"{begin}; a run without made the same again, and came to the same bits as run 1"
        return replace(known, note=note)
    note = f"{begin}: run 1 is compared with one that did not find it"
    return LaterRuns([first_run, result], [verdict], note, with_the_first=True, hidden=hidden)


def _changed_otherwise(first: Trace, second: Trace, found: Divergence | None) -> set[str]:
    """What run 2 changed; where all operations agree, without what it wrote just as run 1 did."""
    changed = changed_paths(second)
    if found is not None:
        return changed
    versions = written_versions(first)
    same = {path for path, held in written_versions(second).items() if versions.get(path) == held}
    return changed - same


def _made(again: Trace, first: Trace, left: Sequence[str]) -> bool:
    """Whether a run made the files, and ended as the first one did."""
    return exit_divergence(first, again) is None and written_versions(again).keys() >= set(left)
