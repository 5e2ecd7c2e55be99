"""Operations that one rank of a run does and another one does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samebits.check.agreement.ranks import Rank
from samebits.check.diff.align import align_keys
from samebits.check.diff.keys import row_keys
from samebits.core.names import printable


@dataclass(frozen=True)
class UnsharedRow:
    """The first operation of a step that only one rank does.

    Attributes:
        rank: Its rank.
        op: The operation.
        file: The user's source file.
        line: Its line.
    """

    rank: int
    op: str
    file: str
    line: int


def first_unshared_row(ranks: Sequence[Rank], step: int) -> UnsharedRow | None:
    """The first operation of a step that rank 0 does and another rank does not, or the reverse.

    Args:
        ranks: The ranks of a run.
        step: The step, from the first one that the ranks have in common; None is found where
            its operations were not recorded.
    """
    of_first = _keys(ranks[0], ranks[0].first_step + step) if len(ranks) > 1 else None
    for other in ranks[1:]:
        assert of_first is not None
        pair = (ranks[0], other)
        keys = [of_first, _keys(other, other.first_step + step)]
        if any(len(own) == 0 for _, own in keys):
            continue
        gap = align_keys(keys[0][1], keys[1][1]).first_gap()
        if gap is None:
            continue
        for rank, (start, _), rows in zip(pair, keys, gap, strict=True):
            if len(rows):
                row = rank.trace.row(start + rows.start)
                if row.site is not None:
                    return UnsharedRow(
                        rank.number, printable(row.op, 100), row.site.file, row.site.line
                    )
    return None


def _keys(rank: Rank, step: int) -> tuple[int, npt.NDArray[np.uint64]]:
    """The first row of the step, and what its rows are."""
    steps = [batch.columns["step"] for batch in rank.trace.iter_ops(("step",))]
    numbers = np.concatenate([np.empty(0, np.uint32), *steps])
    start, end = np.searchsorted(numbers, (step, step + 1))
    return int(start), row_keys(rank.trace)[start:end]
