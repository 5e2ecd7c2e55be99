"""Processes of one line that share their work as it comes: what they did is compared as one heap.

Which of them takes which task is a matter of pace, and no difference. How often something was done
is not asked: a loop that polls turns as often as it likes, and what comes of the number shows in
other operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samebits.check.diff.keys import row_keys
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_DIGESTS, STEP_KINDS, Flag
from samebits.check.trace.turns import turns

_Hashes = npt.NDArray[np.uint64]

_GIVEN = ("inputs", "args")
_HIDDEN = np.uint16(Flag.SCRATCH | Flag.OPAQUE)
_SINCE_THE_LAST = ("batch", "outputs", "generators")
"""Digests of all that was since the step before. Where a task begins these are the end of the one
before it, whichever that was; what a step itself computed with is in its gradients."""
_OF_A_STEP = tuple(name for name in STEP_DIGESTS if name not in _SINCE_THE_LAST)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Unmatched:
    """An operation of one run that no process of the other one did with this result.

    Attributes:
        trace: The number of the process that did it.
        row: Its row.
        other: Process and row of the other run that did the same with another result; None where
            none was given the same.
    """

    trace: int
    row: int
    other: tuple[int, int] | None


class SharedWork:
    """What the processes of one line did in two runs.

    Args:
        of_a: What each of them has recorded in run A.
        of_b: The same of run B.
        lines: Whether line numbers mean the same in both.

    Raises:
        TraceError: A trace is damaged.
    """

    def __init__(self, of_a: Sequence[Trace], of_b: Sequence[Trace], *, lines: bool) -> None:
        self._rows = tuple(
            [_ProcessRows(trace, lines=lines) for trace in run] for run in (of_a, of_b)
        )
        self._steps = tuple(np.unique(_joined(rows.steps for rows in run)) for run in self._rows)
        self._on_threads = [
            {(one["digest"], one["steps"]) for trace in run for one in trace.manifest.thread_steps}
            for run in (of_a, of_b)
        ]
        self._levels = {trace.manifest.level for trace in (*of_a, *of_b)}

    @property
    def agrees(self) -> bool:
        """Whether both runs did the same steps, and the same operations."""
        mine, theirs = map(_heap, self._rows)
        return self.steps_agree and np.array_equal(mine, theirs)

    @property
    def agrees_in_order(self) -> bool:
        """Whether they did so one after another in one order, as tasks do that are waited for.

        Then each task was given the same numbers in both runs, whichever of them it went to.
        """
        mine, theirs = (_in_order(rows) for rows in self._rows)
        return mine is not None and theirs is not None and np.array_equal(mine, theirs)

    @property
    def steps_agree(self) -> bool:
        """Whether both did the same optimizer steps, and the same on other threads."""
        on_threads = self._on_threads[0] == self._on_threads[1]
        return on_threads and np.array_equal(self._steps[0], self._steps[1])

    @property
    def is_partly_recorded(self) -> bool:
        """Whether each process has recorded operations up to its own first step only."""
        return "auto" in self._levels and bool(len(self._steps[0]) or len(self._steps[1]))

    def first_unmatched(self) -> Unmatched | None:
        """The first operation of run A that run B has not, one with the same inputs if possible."""
        mine, theirs = self._rows
        heap, given = _heap(theirs), _joined(rows.given[rows.comparable] for rows in theirs)
        alone = None
        for number, rows in enumerate(mine):
            missing = np.flatnonzero(~np.isin(rows.contents, heap) & rows.comparable)
            otherwise = missing[np.isin(rows.given[missing], given)]
            if len(otherwise):
                row = int(otherwise[0])
                return Unmatched(number, row, _given_the_same(rows.given[row], theirs))
            if alone is None and len(missing):
                alone = Unmatched(number, int(missing[0]), None)
        return alone


class _ProcessRows:
    """The rows of one process.

    Attributes:
        given: For each row, what was done, where, and with what; shape (rows,).
        contents: The same with what came of it.
        comparable: Whether what came of it says anything.
        steps: For each optimizer step what its digests are.
        turns: Which rows and steps came one after another; None where that is not known.
    """

    def __init__(self, trace: Trace, *, lines: bool) -> None:
        given = row_keys(trace, lines=lines)
        contents, comparable = np.empty_like(given), np.empty(len(given), bool)
        for batch in trace.iter_ops((*_GIVEN, "outputs", "flags")):
            here = slice(batch.start, batch.start + len(batch))
            for name in _GIVEN:
                given[here] = _mixed(given[here], batch.columns[name])
            contents[here] = _mixed(given[here], batch.columns["outputs"])
            comparable[here] = (batch.columns["flags"] & _HIDDEN) == 0
        self.given, self.contents, self.comparable = given, contents, comparable
        self.steps = _step_contents(trace)
        self.turns = turns(trace)


def _heap(processes: Sequence[_ProcessRows]) -> _Hashes:
    return np.unique(_joined(rows.contents[rows.comparable] for rows in processes))


def _in_order(processes: Sequence[_ProcessRows]) -> _Hashes | None:
    """What all of them did in the order of time; None where that is not known."""
    parts = []
    for rows in processes:
        if rows.turns is None:
            return None
        # Of what cannot be compared, what was given is.
        told = np.where(rows.comparable, rows.contents, rows.given)
        parts += [(turn.done, told[turn.rows], rows.steps[turn.steps]) for turn in rows.turns]
    parts.sort(key=lambda part: part[0])
    return _joined(piece for _, *pieces in parts for piece in pieces)


def _given_the_same(given: np.uint64, processes: Sequence[_ProcessRows]) -> tuple[int, int] | None:
    for number, rows in enumerate(processes):
        found = np.flatnonzero((rows.given == given) & rows.comparable)
        if len(found):
            return number, int(found[0])
    return None


def _step_contents(trace: Trace) -> _Hashes:
    """A number for each optimizer step: what its digests are."""
    steps = trace.steps()
    content = np.zeros(len(steps["step"]), np.uint64)
    for name in _OF_A_STEP:
        content = _mixed(content, steps[name])
    taken: _Hashes = content[steps["kind"] == STEP_KINDS.index("step")]
    return taken


def _mixed(state: _Hashes, value: npt.NDArray[np.generic]) -> _Hashes:
    mixed: _Hashes = (state ^ (state >> np.uint64(29))) * _FACTOR + value.astype(np.uint64)
    return mixed


def _joined(parts: Iterator[_Hashes]) -> _Hashes:
    return np.concatenate([np.empty(0, np.uint64), *parts])
