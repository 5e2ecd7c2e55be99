"""Operations that came in another order, each with the same inputs and the same result.

A loop over a set that gives each element a place of its own does the same things in another order
in every run, and what it leaves behind is the same. Such a passage is no difference: it is as long
in both runs, holds the same operations with the same inputs, arguments and results, and whatever
its order does to anything shows in the operations after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from samebits.check.diff.dropped import Dropped
from samebits.check.diff.side_by_side import side_by_side
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column
from samebits.check.trace.schema import Flag

_NOT_COMPARABLE = np.uint16(Flag.SCRATCH | Flag.OPAQUE)
_LONGEST = 200_000
"""Rows of one passage; one that is longer is a difference."""


@dataclass(frozen=True)
class Reordered:
    """What became of operations whose results differ where they stand.

    Attributes:
        passages: The first such row of each passage that came in another order.
        spans: The rows of each passage.
        lasting: The first such row outside of them; None where there is none.
    """

    passages: tuple[int, ...]
    spans: tuple[range, ...]
    lasting: int | None

    @property
    def end(self) -> int:
        """The row after the last passage; 0 where there is none."""
        return self.spans[-1].stop if self.spans else 0

    def up_to(self, rows: int) -> Reordered:
        """The same of so many of the first rows; a passage that goes on beyond them is one."""
        lasting = None if self.lasting is None or self.lasting >= rows else self.lasting
        count = sum(first < rows for first in self.passages)
        return Reordered(self.passages[:count], self.spans[:count], lasting)

    def in_order_of_a(self, keys_a: Column, keys_b: Column) -> Column:
        """The keys of B with those of each passage put in A's order."""
        result = keys_b.copy()
        for span in self.spans:
            result[span.start : span.stop] = keys_a[span.start : span.stop]
        return result


def differing(of_a: Mapping[str, Column], of_b: Mapping[str, Column]) -> Column:
    """Of rows that stand opposite each other, whether their comparable outputs differ."""
    hidden = (of_a["flags"] | of_b["flags"]) & _NOT_COMPARABLE
    found: Column = (of_a["outputs"] != of_b["outputs"]) & (hidden == 0)
    return found


def reordered(
    a: Trace,
    b: Trace,
    rank: int,
    keys_a: Column,
    keys_b: Column,
    dropped: Dropped | None = None,
) -> Reordered:
    """Tell passages that came in another order from the first difference that lasts.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        keys_a: What makes rows of A the same operation at the same place as rows of B.
        keys_b: The same for B.
        dropped: Rows whose results do not count, and rows that count although theirs agree.

    Raises:
        TraceError: A trace is damaged.
    """
    found = _Passages()
    for start, of_a, of_b in side_by_side(a, b, rank, min(len(keys_a), len(keys_b))):
        rows = np.arange(start, start + len(of_a["flags"]))
        here, there = keys_a[rows], keys_b[rows]
        left = _difference(here, there, of_a, of_b)
        differs = differing(of_a, of_b) | (here != there)
        if dropped is not None:
            left[dropped.moved[rows]] = 0
            differs = (differs & ~dropped.moved[rows]) | dropped.suspects[rows]
        found.add(rows, left, differs)
        if found.pending is not None and rows[-1] - found.pending > _LONGEST:
            break
    return Reordered(tuple(found.firsts), tuple(found.spans), found.pending)


class _Passages:
    """Finds stretches of rows whose differences add up to nothing around rows that differ.

    A row may differ in its inputs alone, long before and for another reason: so a stretch begins
    anywhere before the row, after the last one.
    """

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.spans: list[range] = []
        self._rows = np.empty(0, np.int64)
        self._left = np.empty(0, np.uint64)
        self._differing = np.empty(0, np.int64)

    @property
    def pending(self) -> int | None:
        """The first row that differs and lies in no passage yet."""
        return int(self._differing[0]) if len(self._differing) else None

    def add(self, rows: Column, left: Column, differs: Column) -> None:
        """Take the next rows: what is left of each, and whether its result differs."""
        changed = left != 0
        self._rows = np.concatenate([self._rows, rows[changed]])
        self._left = np.concatenate([self._left, left[changed]])
        self._differing = np.concatenate([self._differing, rows[differs]])
        self._resolve()
        since = int(rows[-1] if self.pending is None else self.pending) - _LONGEST
        self._forget(int(np.searchsorted(self._rows, since)))

    def _resolve(self) -> None:
        if not len(self._differing):
            return
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(self._left, dtype=np.uint64)])
        again = _next_equal(sums)
        begin = 0  # numbers of sums: before the first changed row, after it, ...
        while len(self._differing):
            first = int(self._differing[0])
            at = int(np.searchsorted(self._rows, first))
            if at == len(self._rows) or self._rows[at] != first:
                break
            ends = again[begin : at + 1]
            ends = ends[ends > at]
            if not len(ends):
                break
            end = int(ends.min())
            start = begin + int(np.flatnonzero(again[begin : at + 1] == end)[-1])
            span = range(int(self._rows[start]), int(self._rows[end - 1]) + 1)
            self.firsts.append(first)
            self.spans.append(span)
            self._differing = self._differing[self._differing >= span.stop]
            begin = end
        self._forget(begin)

    def _forget(self, count: int) -> None:
        self._rows, self._left = self._rows[count:], self._left[count:]


def _next_equal(values: Column) -> Column:
    """For each value the number of the next equal one; -1 where there is none."""
    order = np.argsort(values, kind="stable")
    same = values[order[1:]] == values[order[:-1]]
    result = np.full(len(values), -1, np.int64)
    result[order[:-1][same]] = order[1:][same]
    return result


def _difference(
    keys_a: Column, keys_b: Column, of_a: Mapping[str, Column], of_b: Mapping[str, Column]
) -> Column:
    """A number a row; those of a passage add up to 0 where both runs did the same in it."""
    mine, theirs = ((of["flags"] & _NOT_COMPARABLE) != 0 for of in (of_a, of_b))
    # Of one operation that both did, what either run cannot compare is not compared.
    either, same = mine | theirs, keys_a == keys_b
    of_mine = _digests(keys_a, of_a, np.where(same, either, mine))
    result: Column = of_mine - _digests(keys_b, of_b, np.where(same, either, theirs))
    return result


def _digests(keys: Column, of_run: Mapping[str, Column], hidden: Column) -> Column:
    """A digest a row; sums of them agree where the rows are the same ones in any order."""
    result = keys.copy()
    for name in ("args", "inputs", "data", "outputs"):
        values = of_run[name].astype(np.uint64)
        if name == "outputs":
            values = np.where(hidden, np.uint64(0), values)
        result = _mixed(result ^ values)
    return result


def _mixed(values: Column) -> Column:
    """The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable generators, 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: Column = values ^ (values >> np.uint64(31))
    return result
