"""Operations that came in another order, each with the same inputs and the same result.

A loop over a set that gives each element a place of its own does the same things in another order
in every run, and what it leaves behind is the same. Such a passage is no difference: it is as long
in both runs, holds the same operations with the same inputs, arguments and results, and whatever
its order does to anything shows in the operations after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

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
        lasting: The first such row outside of them; None where there is none.
        end: The row after the last passage; 0 where there is none.
    """

    passages: tuple[int, ...]
    lasting: int | None
    end: int = 0


def differing(of_a: Mapping[str, Column], of_b: Mapping[str, Column]) -> Column:
    """Of rows that stand opposite each other, whether their comparable outputs differ."""
    hidden = (of_a["flags"] | of_b["flags"]) & _NOT_COMPARABLE
    found: Column = (of_a["outputs"] != of_b["outputs"]) & (hidden == 0)
    return found


def in_order_of_a(
    a: Trace, b: Trace, rank: int, keys_a: Column, keys_b: Column, begin: int
) -> Column | None:
    """The keys of B with those of passages put in A's order that hold the same, in another order.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        keys_a: What makes rows of A the same operation at the same place as rows of B.
        keys_b: The same for B.
        begin: The first row whose keys differ.

    Returns:
        Shape of `keys_b`; None where the first such row begins no such passage.

    Raises:
        TraceError: A trace is damaged.
    """
    result: Column | None = None
    since, surplus = begin, np.uint64(0)
    for start, of_a, of_b in side_by_side(a, b, rank, min(len(keys_a), len(keys_b))):
        rows = np.arange(start, start + len(of_a["flags"]))
        left = _difference(keys_a[rows], keys_b[rows], of_a, of_b)
        left[rows < begin] = 0
        sums = surplus + np.cumsum(left, dtype=np.uint64)
        surplus = sums[-1]
        closed = rows[(sums == 0) & (rows >= begin)]
        if len(closed):
            result = keys_b.copy() if result is None else result
            end = int(closed[-1]) + 1
            result[since:end] = keys_a[since:end]
            since = end
        if rows[-1] - since > _LONGEST:
            break
    return result


def reordered(a: Trace, b: Trace, rank: int, keys_a: Column, keys_b: Column) -> Reordered:
    """Tell passages that came in another order from the first difference that lasts.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        keys_a: What makes rows of A the same operation at the same place as rows of B; as many as
            stand opposite each other.
        keys_b: The same for B.

    Raises:
        TraceError: A trace is damaged.
    """
    passages: list[int] = []
    pending: int | None = None
    end = 0
    for rows, differs, closed in _passages(a, b, rank, keys_a, keys_b):
        found = rows[differs]
        if closed.any():
            ends = rows[closed]
            ended = found[found <= ends[-1]]
            _, first = np.unique(np.searchsorted(ends, ended), return_index=True)
            begun = ended[first].tolist()
            if pending is not None:
                # The first of these passages began before.
                begun = [pending, *(row for row in begun if row > ends[0])]
            passages += begun
            end = int(ends[-1]) + 1 if begun else end
            pending = None
            found = found[found > ends[-1]]
        if pending is None and len(found):
            pending = int(found[0])
        if pending is not None and rows[-1] - pending > _LONGEST:
            break
    return Reordered(tuple(passages), pending, end)


def _passages(
    a: Trace, b: Trace, rank: int, keys_a: Column, keys_b: Column
) -> Iterator[tuple[Column, Column, Column]]:
    """Row numbers, whether they differ, and whether all rows up to there are the same ones."""
    surplus = np.uint64(0)
    for start, of_a, of_b in side_by_side(a, b, rank, len(keys_a)):
        rows = np.arange(start, start + len(of_a["flags"]))
        here, there = keys_a[rows], keys_b[rows]
        sums = surplus + np.cumsum(_difference(here, there, of_a, of_b), dtype=np.uint64)
        surplus = sums[-1]
        yield rows, differing(of_a, of_b) | (here != there), sums == 0


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
