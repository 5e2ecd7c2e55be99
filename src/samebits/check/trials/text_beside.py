"""What runs print and write where their operations agree: results, or times and names alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from samebits.check.diff import artifacts, printed_output, written_files
from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.verdict import Divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.further_unseeded import drawn_unseeded
from samebits.check.trials.closer import CloserLook, CloserPair
from samebits.check.trials.harmless_text import with_clock_and_names_pinned
from samebits.check.trials.kept_between_runs import counted_by_the_script
from samebits.check.trials.pace_of_runs import asks_for_the_time
from samebits.check.trials.pinned_pair import PinnedOutcome, PinnedPair
from samebits.check.trials.results_in_times import results_in_times
from samebits.check.trials.runner import Runner

OnText = Callable[[Divergence], None]

_NOT_KNOWN = "whether it depends on the clock or on the names of runs cannot be determined: with "
_WHY_NOT = {
    PinnedOutcome.ENDED: f"{_NOT_KNOWN}these pinned, the script ends differently",
    PinnedOutcome.SILENT: f"{_NOT_KNOWN}these pinned, not every line that differs is printed",
}


@dataclass(frozen=True)
class TextBeside:
    """What was found of the text of runs whose operations agree.

    Attributes:
        divergence: Where they diverge all the same; None where all that differs is harmless.
        notes: What is to be said of it.
        superseded: Notes of the first comparison that it takes the place of.
        runs: Two runs that diverge beside their operations; None where an operation is behind it.
        pinned: How these were made, where they are runs with the clock and names pinned.
    """

    divergence: Divergence | None
    notes: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    runs: tuple[RunResult, RunResult] | None = None
    pinned: PinnedPair | None = None


def text_beside(
    runner: Runner, results: Sequence[RunResult], look: CloserLook, on_text: OnText | None
) -> TextBeside:
    """Whether what runs print and write beside their operations makes them differ.

    Args:
        runner: Makes further runs, as those of the check were made.
        results: The runs of the check, whose operations agree as far as they were recorded.
        look: Looks for an operation behind the text. Its pair is that in which one was found.
        on_text: Called where text differs, before further runs tell whether it counts.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    first = Trace.open(results[0].folder)
    others = [Trace.open(result.folder) for result in results[1:]]
    beside = [artifacts.divergence_beside(first, other) for other in others]
    differing = [(found, run) for found, run in zip(beside, results[1:], strict=True) if found]
    if differing and on_text is not None:
        on_text(differing[0][0])
    if not differing:
        behind, notes = look.behind_printed_text(first, others)
        told = None if behind is not None else results_in_times(runner, results[0], results[1])
        if told is not None:
            more = f"pinned in all further runs: {told.pinned}"
            return TextBeside(told.divergence, (*notes, more), runs=told.runs, pinned=told)
        return TextBeside(behind, tuple(notes))
    differs, second = differing[0]
    counted = counted_by_the_script(results, differs)
    if counted is not None:
        return TextBeside(None, (counted,))
    pinned: PinnedPair | None = None
    is_tried_first = _may_be_times_alone(first)
    if is_tried_first:
        # It takes two runs less where that is so.
        pinned = with_clock_and_names_pinned(runner, results[0], second, differs)
        judged = _judged(pinned, (results[0], second), differs, ())
        if judged.divergence is None:
            return judged
    behind, notes = look.behind_printed_text(first, others)
    found = TextBeside(behind, tuple(notes))
    shown_in = look.pair
    now_and_then = _is_shown_now_and_then(behind, shown_in, first, others)
    if behind is not None and not now_and_then:
        return found
    if not is_tried_first:
        pinned = with_clock_and_names_pinned(runner, results[0], second, differs)
    judged = _judged(pinned, (results[0], second), differs, found.notes)
    if now_and_then:
        look.pair = None
    if judged.divergence is None:
        return judged
    if now_and_then:
        # Its operations say more than the text.
        look.pair = shown_in
        judged = TextBeside(behind)
    return replace(judged, superseded=_notes(first, others))


def _may_be_times_alone(run: Trace) -> bool:
    """Whether a run asks for the time, and draws nothing without a seed."""
    return asks_for_the_time(run) and not drawn_unseeded(run)


def _judged(
    pinned: PinnedPair | None,
    runs: tuple[RunResult, RunResult],
    differs: Divergence,
    notes: tuple[str, ...],
) -> TextBeside:
    """What runs with the clock and names pinned, if any could be made, tell of two that differ."""
    as_they_are = TextBeside(differs, notes, runs=runs)
    if pinned is None:
        return as_they_are
    if pinned.outcome is PinnedOutcome.RESULT:
        # It goes by the clock or by a name, and is more than what these are called.
        return replace(as_they_are, notes=())
    if pinned.outcome in _WHY_NOT:
        return replace(as_they_are, notes=(_WHY_NOT[pinned.outcome],))
    note = (
        pinned.agrees
        if pinned.divergence is None
        else f"pinned in all further runs: {pinned.pinned}"
    )
    return TextBeside(pinned.divergence, (note,), runs=pinned.runs, pinned=pinned)


def _notes(first: Trace, others: Sequence[Trace]) -> tuple[str, ...]:
    return tuple(note for other in others for note in artifacts.notes_beside(first, other))


def _is_shown_now_and_then(
    found: Divergence | None, pair: CloserPair | None, first: Trace, others: Sequence[Trace]
) -> bool:
    """Whether the operation may be for the person who looks on.

    All steps agree, in the runs that it was found in as well, and so does what is printed after
    the same step: what a script computes to show
    how far it is may go by the clock, which runs with that pinned have to confirm. It does not
    where an operation gave another result on equal inputs, nor where a file holds something else.
    """
    if found is None or found.is_own_doing or pair is None:
        return False
    a, b = (Trace.open(run.folder) for run in pair.runs)
    steps = first_step_divergence(a, b, same_level=True, open_ends=(False, False))
    if steps is not None or not written_files.wrote_the_same(a, b):
        return False
    return all(
        printed_output.is_said_at_other_times(first, other)
        and written_files.wrote_the_same(first, other)
        for other in others
    )
