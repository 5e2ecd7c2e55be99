"""Random numbers that every rank of a run has drawn alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from samebits.check.agreement.keys import hashes, mixed
from samebits.check.agreement.ranks import Rank
from samebits.check.trace.rows import Column, OpRow
from samebits.check.trace.schema import NO_SITE, PHASES, Flag

_FEWEST_ELEMENTS = 32
"""Fewer random numbers may be the same by chance, above all in masks."""
_COLUMNS = ("phase", "flags", "step", "op", "signature", "args", "outputs", "site")


@dataclass(frozen=True)
class SharedDraw:
    """The same random numbers on each rank, drawn in the same step of a forward pass.

    Attributes:
        row: Rank 0's row.
        numbers: The row's number on each rank, in the order of the ranks.
    """

    row: OpRow
    numbers: tuple[int, ...]


def shared_draws(
    ranks: Sequence[Rank], *, into_new: bool = False, most: int = 1
) -> list[SharedDraw]:
    """Operations that draw the same random numbers on each rank, in the same step.

    Only forward passes count: there masks are drawn, as for dropout.

    Args:
        ranks: At least two.
        into_new: Those that make a new tensor of floating-point numbers, instead of those that
            fill one that is there.
        most: So many of each line.
    """
    drawn = [_draws(rank, into_new=into_new) for rank in ranks]
    keys, rows, sites = drawn[0]
    shared = reduce(np.intersect1d, (others for others, _, _ in drawn[1:]), keys)
    found = np.flatnonzero(np.isin(keys, shared) & (sites != NO_SITE))
    taken: Counter[int] = Counter()
    kept = []
    for at in found.tolist():
        taken[int(sites[at])] += 1
        if taken[int(sites[at])] <= most:
            kept.append(at)
    first_rows = [
        dict(zip(own[::-1].tolist(), at[::-1].tolist(), strict=True)) for own, at, _ in drawn[1:]
    ]
    return [
        SharedDraw(row, (int(rows[at]), *(own[int(keys[at])] for own in first_rows)))
        for at, row in zip(kept, ranks[0].trace.rows([int(rows[at]) for at in kept]), strict=True)
    ]


def _draws(
    rank: Rank, *, into_new: bool
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], Column]:
    """Of each draw: what it is, as one number; its row; its site."""
    keys: list[npt.NDArray[np.uint64]] = [np.empty(0, np.uint64)]
    rows: list[npt.NDArray[np.int64]] = [np.empty(0, np.int64)]
    sites: list[Column] = [np.empty(0, np.uint32)]
    forward, asked = PHASES.index("forward"), Flag.RANDOM | Flag.INPLACE
    wanted = Flag.RANDOM if into_new else asked
    for batch in rank.trace.iter_ops(_COLUMNS):
        columns, names = batch.columns, batch.names
        large = np.array(
            [
                _elements(one) >= _FEWEST_ELEMENTS and (not into_new or "float" in one[:8])
                for one in names["signature"]
            ],
            bool,
        )
        at = np.flatnonzero((columns["phase"] == forward) & (columns["flags"] & asked == wanted))
        at = at[large[columns["signature"][at]]] if len(at) else at
        coded = {name: hashes(names[name]) for name in ("op", "signature")}
        parts = [coded[name][columns[name][at]] for name in coded] if len(at) else []
        parts += [columns[name][at].astype(np.uint64) for name in ("step", "args", "outputs")]
        keys.append(mixed(parts))
        rows.append(at + batch.start)
        sites.append(columns["site"][at])
    return np.concatenate(keys), np.concatenate(rows), np.concatenate(sites)


def _elements(signature: str) -> int:
    """Elements of the first output of a signature, "float32[2, 3]"."""
    shape = signature.partition("[")[2].partition("]")[0]
    sizes = [int(size) for size in shape.split(",") if size.strip().isdecimal()]
    return int(np.prod(sizes, dtype=np.int64)) if sizes else 1
