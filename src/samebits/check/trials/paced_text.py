"""Whether what two runs say of the time goes by their clocks alone, of which one is twice as fast.

That text is the same once the clock is pinned says that it goes by the clock, and a result may do
so as well: the best of what was tried within a second. But with a clock that is twice as fast,
which a run is told nothing else of, what tells a duration tells one twice as long, a rate is half
as large, and a share of the time stays as it was. A result is another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from samebits.check.diff.printed_output import is_said_at_other_times, lines_that_count
from samebits.check.diff.printed_text import form_of
from samebits.check.diff.written_files import files_of_runs, hold_the_same, written_files
from samebits.check.trace.reader import Trace
from samebits.check.trials.paced_words import (
    has_moved,
    holds_none,
    moves_evenly,
    says_the_same,
    was_none,
)

_KINDS = ("tensors", "values", "arrays", "text")
_Alike = Callable[[str, str], bool]


def goes_by_the_pace(slow: Trace, fast: Trace, *, sure: bool = False) -> bool:
    """Whether printed lines and written files of two runs say the same but for times.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was `RATE` times as fast, and that drew other names.
        sure: Whether small whole numbers do not count as times.
    """
    say_the_same = partial(says_the_same, sure=sure)
    return _printed(slow, fast, say_the_same) and _written(slow, fast, say_the_same)


def goes_evenly(slow: Trace, fast: Trace, third: Trace) -> bool:
    """The same of three runs, where what differs moves as much from each pace to the next.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was as many times as fast as `EVEN_RATES` says first.
        third: One whose clock was as `EVEN_RATES` says next.
    """
    traces = (slow, fast, third)
    lines = [list(lines_that_count(trace)) for trace in traces]
    if len({len(one) for one in lines}) > 1 or not all(map(moves_evenly, *lines)):
        return False
    for kind in _KINDS:
        files = files_of_runs(traces, kind)
        for path in files[0].keys() & files[1].keys() & files[2].keys():
            of_runs = [held[path] for held in files]
            if len({len(one) for one in of_runs}) > 1:
                return False
            for one, other, last in zip(*of_runs, strict=True):
                same = hold_the_same(one, other) and hold_the_same(one, last)
                if not same and not _texts((one, other, last), moves_evenly):
                    return False
    return True


def differ_by_names(one: Trace, other: Trace) -> bool:
    """Whether two runs with the same clock and other names differ in what looks like a name alone.

    Args:
        one: A run.
        other: One that drew other names.
    """
    say_the_same = partial(says_the_same, names=True, pace=False)
    return _printed(one, other, say_the_same) and _written(one, other, say_the_same)


def holds_what_stayed(slow: Trace, fast: Trace, again: Trace, *, forms: bool = False) -> bool:
    """Whether a further run says and writes all that two runs do whose clocks and names differ.

    Args:
        slow: A run.
        fast: One whose clock was another one, and that drew other names.
        again: A run with another clock and other names still.
        forms: Whether lines of a form in which the two differ do not count.
    """
    lines = [Counter(lines_that_count(trace)) for trace in (slow, fast, again)]
    moved = set(map(form_of, (lines[0] - lines[1]) + (lines[1] - lines[0]))) if forms else set()
    missing = (lines[0] & lines[1]) - lines[2]
    if any(form_of(line) not in moved for line in missing):
        return False
    for kind in _KINDS:
        held = [_digests(files) for files in files_of_runs((slow, fast, again), kind)]
        for path, digests in held[0].items():
            if digests == held[1].get(path) != held[2].get(path):
                return False
    return True


def could_show(pinned: Trace, plain: tuple[Trace, Trace]) -> bool:
    """Whether a run said each line with a number that two plain runs say differently.

    With a clock that goes on too slowly, a script may say nothing of it at all.

    Args:
        pinned: A run with the clock pinned.
        plain: The two runs.
    """
    of_a, of_b = (Counter(lines_that_count(trace)) for trace in plain)
    said = set(map(form_of, lines_that_count(pinned)))
    differing = (of_a - of_b) + (of_b - of_a)
    return all(form in said for form in map(form_of, differing) if "#" in form)


def lines_are_shown(slow: Trace, fast: Trace, plain: tuple[Trace, Trace]) -> bool:
    """Whether all printed lines that differ between two plain runs differ by the pace as well.

    What is the same whatever the clock does may have come out the same by luck.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was faster.
        plain: The two runs.
    """
    lines = [list(lines_that_count(trace)) for trace in (slow, fast, *plain)]
    if Counter(lines[2]) != Counter(lines[3]):
        as_many = len({len(one) for one in lines}) == 1
        return all(map(has_moved, *lines)) if as_many else is_said_at_other_times(*plain)
    in_order = [list(lines_that_count(trace, by_main=True)) for trace in (slow, *plain)]
    return in_order[1] == in_order[2] or in_order[0] not in in_order[1:]


def files_are_shown(
    slow: Trace, fast: Trace, plain: tuple[Trace, Trace], *, kinds: Sequence[str]
) -> bool:
    """The same of written files.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was faster.
        plain: The two runs.
        kinds: Which files, by kind.
    """
    for kind in kinds:
        held = [_digests(files) for files in files_of_runs((slow, fast, *plain), kind)]
        for path in held[2].keys() & held[3].keys():
            of_runs = [one.get(path) for one in held]
            if of_runs[2] != of_runs[3] and of_runs[0] == of_runs[1]:
                return False
    return True


def may_be_too_short(slow: Trace, fast: Trace, plain: tuple[Trace, Trace]) -> bool:
    """Whether what differs between plain runs may be a time that the pinned clock makes none of.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was faster.
        plain: The two runs.
    """
    lines = [list(lines_that_count(trace)) for trace in (slow, fast, *plain)]
    if len({len(one) for one in lines}) == 1 and any(map(was_none, *lines)):
        return True
    held = [written_files(trace, "text") for trace in (slow, *plain)]
    differing = (
        path
        for path in held[0].keys() & held[1].keys() & held[2].keys()
        if not all(map(hold_the_same, held[1][path], held[2][path]))
    )
    kept = (line for path in differing for file in held[0][path] for line in _kept(file))
    return any(holds_none(str(line)) for line in kept)


def _printed(slow: Trace, fast: Trace, say_the_same: _Alike) -> bool:
    lines = [list(lines_that_count(trace)) for trace in (slow, fast)]
    left = [list((Counter(lines[n]) - Counter(lines[1 - n])).elements()) for n in (0, 1)]
    in_order = [list(lines_that_count(trace, by_main=True)) for trace in (slow, fast)]
    same = len(left[0]) == len(left[1]) and all(map(say_the_same, *left))
    same = same and len(in_order[0]) == len(in_order[1]) and all(map(say_the_same, *in_order))
    return same or is_said_at_other_times(slow, fast)


def _written(slow: Trace, fast: Trace, say_the_same: _Alike) -> bool:
    for kind in _KINDS:
        files = files_of_runs((slow, fast), kind)
        for path in files[0].keys() & files[1].keys():
            if len(files[0][path]) != len(files[1][path]):
                return False
            for one, other in zip(files[0][path], files[1][path], strict=True):
                if not hold_the_same(one, other) and not _texts((one, other), say_the_same):
                    return False
    return True


def says_the_same_in_files(slow: Trace, fast: Trace, paths: Iterable[str]) -> bool:
    """Whether files whose content nobody can read otherwise hold the same but for times and names.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was faster, and that drew other names.
        paths: The files; of what was not kept of them nothing is asked.
    """
    files = [written_files(trace, "bytes") for trace in (slow, fast)]
    say_the_same = partial(says_the_same, names=True)
    for path in paths:
        for pair in zip(files[0].get(path, ()), files[1].get(path, ()), strict=False):
            known = all(map(_kept, pair)) and not hold_the_same(*pair)
            if known and not _texts(pair, say_the_same):
                return False
    return True


def keeps_lines_of(trace: Trace, paths: Iterable[str]) -> bool:
    """Whether a run has kept what one of the files holds, line by line.

    Args:
        trace: The run.
        paths: The files.
    """
    files = written_files(trace, "bytes")
    return any(_kept(file) for path in paths for file in files.get(path, ()))


def _kept(file: object) -> list[object]:
    held = file.get("lines") if isinstance(file, dict) else None
    return held if isinstance(held, list) else []


def _digests(files: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[str]]:
    return {path: [file["digest"] for file in held] for path, held in files.items()}


def _texts(files: Sequence[object], say_the_same: Callable[..., bool]) -> bool:
    """Whether texts say the same but for times and names; not where they were not kept."""
    lines = [_kept(file) for file in files]
    kept = [held for held in lines if held]
    if len(kept) < len(files) or len({len(held) for held in kept}) > 1:
        return False
    return all(map(say_the_same, *([str(line) for line in held] for held in kept)))
