"""Memory that nobody had written, which was read, moved about and dropped.

A table is allocated and filled row by row; a look-up reads whole rows of it and keeps the elements
that a mask names. What was read beside them differs in every run, and nothing comes of it. It is no
difference as long as operations only pick elements and put them elsewhere (`MOVES`). The first that
computes with other inputs than in the other run ends that, whatever it comes to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samebits.check.diff.side_by_side import side_by_side
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column
from samebits.check.trace.schema import Flag
from samebits.core.catalog.memory import MOVES

_NOT_COMPARED = np.uint16(Flag.SCRATCH | Flag.OPAQUE)


@dataclass(frozen=True)
class Dropped:
    """What became of unwritten memory that was read; a value for each row.

    Attributes:
        reads: Rows that read such memory and came to something else.
        moved: Whether a row only moved what may be such memory: its result does not count.
        suspects: Whether a row may have computed with it.
    """

    reads: tuple[int, ...]
    moved: Column
    suspects: Column


def dropped_reads(a: Trace, b: Trace, rank: int, keys_a: Column, keys_b: Column) -> Dropped | None:
    """Follow what was read of memory that nobody had written.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        keys_a: What makes rows of A the same operation at the same place as rows of B.
        keys_b: The same for B.

    Returns:
        Values for as many rows as stand opposite each other; None where no such memory was read
        and then only moved.

    Raises:
        TraceError: A trace is damaged.
    """
    rows = min(len(keys_a), len(keys_b))
    moved, suspects = np.zeros(rows, dtype=bool), np.zeros(rows, dtype=bool)
    moves = _moves(a, rank, rows)
    reads: list[int] = []
    for start, of_a, of_b in side_by_side(a, b, rank, rows):
        here = slice(start, start + len(of_a["flags"]))
        flags = of_a["flags"] | of_b["flags"]
        unwritten = (of_a["flags"] & of_b["flags"] & np.uint16(Flag.READS_UNWRITTEN)) != 0
        given_other = of_a["inputs"] != of_b["inputs"]
        other = (of_a["outputs"] != of_b["outputs"]) & ((flags & _NOT_COMPARED) == 0)
        alike = (keys_a[here] == keys_b[here]) & ((flags & np.uint16(Flag.OPAQUE)) == 0)
        for name in ("args", "data"):
            alike &= of_a[name] == of_b[name]
        only_moves = alike & (moves[here] | ((flags & np.uint16(Flag.VIEW)) != 0))
        begins = np.flatnonzero(unwritten & other & only_moves)
        if not reads and not len(begins):
            continue
        since = 0 if reads else int(begins[0])
        reads += (start + begins).tolist()
        touched = unwritten | given_other
        touched[:since] = False
        moved[here] = touched & only_moves
        suspects[here] = touched & ~only_moves
    return Dropped(tuple(reads), moved, suspects) if reads else None


def _moves(trace: Trace, rank: int, rows: int) -> Column:
    """For each of the first rows, whether its operation is one that only moves elements."""
    result = np.zeros(rows, dtype=bool)
    for batch in trace.iter_ops(("op",), rank):
        moving = np.array([_plain(name) in MOVES for name in batch.names["op"]], dtype=bool)
        codes = batch.columns["op"][: max(0, rows - batch.start)]
        result[batch.start : batch.start + len(codes)] = moving[codes]
    return result


def _plain(op: str) -> str:
    return op.removeprefix("aten.").partition(".")[0]
