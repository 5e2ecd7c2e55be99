"""Written files whose bytes differ and that nobody can read: by times and names, or by more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from samebits.check.diff import written_files
from samebits.check.diff.verdict import Divergence, NotCompared
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.harmless_text import at_another_pace, with_clock_and_names_pinned
from samebits.check.trials.paced_text import keeps_lines_of, says_the_same_in_files
from samebits.check.trials.pinned_pair import PinnedOutcome
from samebits.check.trials.runner import Runner
from samebits.core.names import printable

_UNREAD = "its bytes differ, and what it holds cannot be read"
_WRITTEN = Divergence(kind="saved", step=0, phase="optimizer", op="write")


def unread_files(
    runner: Runner, results: Sequence[RunResult]
) -> tuple[tuple[NotCompared, ...], list[str]]:
    """Files of which nothing is known but that their bytes differ, unless by times and names.

    Args:
        runner: Makes further runs, as those of the check were made.
        results: The runs of the check; all else in them agrees.

    Returns:
        Those that were not compared, and what is to be said of the others.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    first = Trace.open(results[0].folder)
    for result in results[1:]:
        other = Trace.open(result.folder)
        differing = written_files.unread_differences(first, other)
        if not differing:
            continue
        pinned = with_clock_and_names_pinned(runner, results[0], result, _WRITTEN, alike=True)
        if pinned is not None and pinned.outcome is PinnedOutcome.AGREES:
            a, b = (Trace.open(run.folder) for run in pinned.runs)
            held, *plain = (written_files.digests_of_written(t, "bytes") for t in (a, first, other))
            # What is as it was without being pinned may have come out so by luck.
            by_luck = [path for path in differing if held.get(path) in _of(path, plain)]
            differing, known = written_files.unread_differences(a, b) or by_luck, differing
            # That they go by the clock says nothing of whether they tell the time.
            if not differing and all(keeps_lines_of(a, [path]) for path in known):
                faster = Trace.open(at_another_pace(runner, pinned).folder)
                if says_the_same_in_files(a, faster, known):
                    return (), [pinned.agrees]
            differing = differing or known
        return tuple(NotCompared("file", printable(one, 200), _UNREAD) for one in differing), []
    return (), []


def _of(path: str, written: Iterable[Mapping[str, list[str]]]) -> list[list[str] | None]:
    return [one.get(path) for one in written]
