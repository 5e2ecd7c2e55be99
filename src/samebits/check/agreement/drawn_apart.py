"""Weights that ranks draw anew, each its own, after they were brought together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samebits.check.agreement.ranks import Rank
from samebits.check.trace.rows import OpRow
from samebits.check.trace.schema import PHASES, Flag

_BROADCAST = "c10d.broadcast"
_COLUMNS = ("phase", "flags", "op", "signature", "outputs")


def drawn_apart(ranks: Sequence[Rank]) -> OpRow | None:
    """The first operation that fills a tensor with other random numbers on another rank.

    It comes before the first forward pass, and after the last broadcast, with which a wrapper makes
    all replicas equal.

    Args:
        ranks: At least two, which have done the same until then.

    Returns:
        Rank 0's row; None where there is none, or where ranks have drawn into other tensors.
    """
    drawn = [_filled(rank) for rank in ranks]
    for rows in zip(*drawn, strict=False):
        if len({(op, signature) for _, op, signature, _ in rows}) > 1:
            return None
        if len({outputs for *_, outputs in rows}) > 1:
            return ranks[0].trace.row(rows[0][0])
    return None


def _filled(rank: Rank) -> list[tuple[int, str, str, int]]:
    """What random numbers filled after the last broadcast: row, operation, shape, digest."""
    setup, asked = PHASES.index("setup"), Flag.RANDOM | Flag.INPLACE
    found: list[tuple[int, str, str, int]] = []
    for batch in rank.trace.iter_ops(_COLUMNS):
        columns, names = batch.columns, batch.names
        sends = np.array([name.startswith(_BROADCAST) for name in names["op"]], bool)
        here = columns["phase"] == setup
        sent = here & sends[columns["op"]] if len(sends) else here & False
        # A loader draws the seed of its workers as a whole number.
        floats = np.array(["float" in name.partition("[")[0] for name in names["signature"]], bool)
        draws = here & (columns["flags"] & asked == asked)
        if len(floats):
            draws &= floats[columns["signature"]]
        for at in np.flatnonzero(sent | draws).tolist():
            if sent[at]:
                found.clear()
                continue
            found.append(
                (
                    batch.start + at,
                    str(names["op"][columns["op"][at]]),
                    str(names["signature"][columns["signature"][at]]),
                    int(columns["outputs"][at]),
                )
            )
        if not here.all():
            break
    return found
