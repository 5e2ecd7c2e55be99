"""Whether all that two runs print and write differs in is the number of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from samebits.check.diff.printed_output import lines_that_count
from samebits.check.diff.written_files import WRITTEN_BESIDE, files_of_runs, hold_the_same
from samebits.check.trace.reader import Trace
from samebits.core.catalog.run_numbers import without_run_numbers

_Moved = set[tuple[int, int]]


def differ_by_the_number_of_the_run(first: Trace, second: Trace) -> bool:
    """Whether one number alone differs, wherever it stands, and is greater by one in the second.

    Args:
        first: A run.
        second: The one after it.
    """
    printed = [list(lines_that_count(trace)) for trace in (first, second)]
    moved: _Moved = set()
    if len(printed[0]) != len(printed[1]):
        return False
    for line, other in zip(*printed, strict=True):
        (bare, numbers), (bare_other, others) = map(without_run_numbers, (line, other))
        if line != other and not (bare == bare_other and _add_moved(moved, numbers, others)):
            return False
    if not all(_written_alike(first, second, kind, moved) for kind in WRITTEN_BESIDE):
        return False
    return len(moved) == 1 and all(after == before + 1 for before, after in moved)


def _written_alike(first: Trace, second: Trace, kind: str, moved: _Moved) -> bool:
    """What only one of the runs writes does not count, as in `written_beside`."""
    files, others = files_of_runs((first, second), kind)
    for path in files.keys() & others.keys():
        versions, other_versions = files[path], others[path]
        if len(versions) != len(other_versions):
            return False
        for file, other in zip(versions, other_versions, strict=True):
            if not hold_the_same(file, other) and not _are_alike(file, other, moved):
                return False
    return True


def _are_alike(file: Mapping[str, Any], other: Mapping[str, Any], moved: _Moved) -> bool:
    bare, numbers, others = file.get("unnumbered"), file.get("numbers"), other.get("numbers")
    if not bare or bare != other.get("unnumbered"):
        return False
    known = isinstance(numbers, list) and isinstance(others, list)
    return known and _add_moved(moved, numbers or [], others or [])


def _add_moved(moved: _Moved, numbers: Sequence[Any], others: Sequence[Any]) -> bool:
    """Note which numbers differ; False where they do not stand for each other."""
    if len(numbers) != len(others) or not all(isinstance(n, int) for n in (*numbers, *others)):
        return False
    moved |= {pair for pair in zip(numbers, others, strict=True) if pair[0] != pair[1]}
    return True
