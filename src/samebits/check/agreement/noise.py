"""Noise that ranks add alike to data that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.check.agreement.draws import SharedDraw, shared_draws
from samebits.check.agreement.ranks import Rank
from samebits.check.trace.rows import OpRow
from samebits.core.catalog.memory import COMMUNICATION

_ELEMENTWISE = frozenset(
    f"aten.{name}.{overload}"
    for name in ("add", "sub", "rsub", "mul", "div", "add_", "sub_", "mul_", "div_")
    for overload in ("Tensor", "Scalar")
) | {
    *("aten.where.self", "aten.lerp.Scalar", "aten.lerp.Tensor", "aten.addcmul", "aten.addcdiv"),
    *("aten.masked_fill.Scalar", "aten.masked_fill.Tensor", "aten.masked_fill_.Scalar"),
}
_REACH = 8
"""Rows after a draw among which it is used: it is scaled, or compared, and met with the data."""
_MOST = 3  # draws of a line that are looked at


def shared_noise(ranks: Sequence[Rank]) -> Iterator[OpRow]:
    """Draws into a new tensor that are the same on each rank, and meet data that are not.

    What is drawn alike and used alike may have to be the same: a projection, a perturbation of
    weights, a decision that all ranks take together. Noise for samples is of the samples' shape
    and meets them element by element.

    Args:
        ranks: Replicas, at least two.

    Yields:
        Rank 0's first such row of each line.
    """
    told = set()
    for draw in shared_draws(ranks, into_new=True, most=_MOST):
        if draw.row.site not in told and _meets_other_data(ranks, draw):
            told.add(draw.row.site)
            yield draw.row


def _meets_other_data(ranks: Sequence[Rank], draw: SharedDraw) -> bool:
    after = [
        rank.trace.rows(range(row + 1, min(row + 1 + _REACH, rank.trace.count_ops())))
        for rank, row in zip(ranks, draw.numbers, strict=True)
    ]
    shape = _shape(draw.row)
    for rows in zip(*after, strict=False):
        first = rows[0]
        if any((one.op, one.signature) != (first.op, first.signature) for one in rows):
            return False
        if first.op.partition(".")[0] in COMMUNICATION:
            return False  # what one rank has drawn is sent to all of them
        differ = len({one.outputs for one in rows}) > 1
        if differ and first.op in _ELEMENTWISE and _shape(first) == shape:
            return True
    return False


def _shape(row: OpRow) -> str:
    """Shape of the first output, from a signature such as "float32[2, 3]"."""
    return row.signature.partition("[")[2].partition("]")[0]
