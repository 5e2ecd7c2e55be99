"""Alignment of two runs' operations by edit distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MAX_EDITS = 4096
"""Edit distance up to which an alignment is promised to be minimal."""


@dataclass(frozen=True)
class Alignment:
    """Which rows of run A are which rows of run B.

    Attributes:
        blocks: int64, shape (k, 3): rows `a_start … a_start + length` of A are rows
            `b_start … b_start + length` of B. Ascending and disjoint in both runs.
        rows: Number of rows of A and of B.
        minimal: True when no alignment leaves fewer rows unmatched.
    """

    blocks: npt.NDArray[np.int64]
    rows: tuple[int, int]
    minimal: bool

    @property
    def matched(self) -> int:
        """Pairs of rows that are aligned."""
        return int(self.blocks[:, 2].sum())

    @property
    def common_start(self) -> int:
        """Rows before the first insertion in either run."""
        if len(self.blocks) and self.blocks[0, 0] == 0 == self.blocks[0, 1]:
            return int(self.blocks[0, 2])
        return 0

    @property
    def unmatched(self) -> tuple[int, int]:
        """Rows that only A has, and rows that only B has."""
        return self.rows[0] - self.matched, self.rows[1] - self.matched

    def first_gap(self) -> tuple[range, range] | None:
        """The rows of A and of B in the first place where they are not aligned; None without."""
        start = self.common_start
        after = self.blocks[1:] if start else self.blocks
        end = (int(after[0, 0]), int(after[0, 1])) if len(after) else self.rows
        if end == (start, start):
            return None
        return range(start, end[0]), range(start, end[1])


def align_keys(
    a: npt.NDArray[np.uint64], b: npt.NDArray[np.uint64], *, max_edits: int = MAX_EDITS
) -> Alignment:
    """Align two sequences of row keys with as few unmatched rows as possible.

    Common start and end first, then Myers' O(ND) search in linear space, after leaving out keys
    that only one side has. Sequences further apart than `max_edits` are cut at keys that each side
    has exactly once and at the furthest points that a bounded search reaches: time stays bounded
    (seconds for a million rows with nothing in common), the alignment valid.

    Args:
        a: uint64, shape (n,), C-contiguous; see `keys.row_keys`.
        b: uint64, shape (m,).
        max_edits: Unmatched rows in both together up to which the result is minimal.

    Raises:
        ValueError: 2**32 rows or more.
    """
    # The native part is loaded at the first use: importing this module stays cheap.
    from samebits.core import _native

    blocks, minimal = _native.align(
        np.ascontiguousarray(a, np.uint64), np.ascontiguousarray(b, np.uint64), max_edits
    )
    return Alignment(blocks, (len(a), len(b)), minimal)
