"""Results of collectives that all ranks of a group should share, and that differ between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samebits.check.agreement.keys import hashes, mixed
from samebits.check.agreement.ranks import Rank, named
from samebits.check.diff.verdict import RunFinding
from samebits.check.trace.rows import OpRow
from samebits.core.names import printable

_MOST_LOOKS = 2_000_000
"""So many looks of a rank are compared, from its first one on."""
_MOST_TRIED = 64
_SHARDED = "fsdp."
"""FSDP2's own operations, whose inputs are compared as what a module gathers."""
_FIX = (
    "After async_op=True, wait for the handle before the tensor is read or written, also through "
    "NumPy or an extension. Call the collective in the same order on all ranks of the group."
)

_Numbers = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class _Looks:
    """First looks at results, of all ranks together.

    Attributes:
        key: Which part of which collective's result, looked at in which layout.
        digest: What was seen.
        rank: By which rank, its position.
        row: The collective's row, of that rank.
        looked: The row that looked.
    """

    key: _Numbers
    digest: _Numbers
    rank: _Numbers
    row: _Numbers
    looked: _Numbers


def results_disagree(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """The first collective whose result differs between ranks that should have been given the same.

    A rank has looked at a result when the call that began it has waited for it, else where it is
    first used. What it has looked at is compared with what others have looked at in the same way: a
    part that a rank has not read, or has overwritten, has no counterpart.

    Args:
        ranks: All ranks of a run.

    Raises:
        TraceError: A run folder is damaged.
    """
    if len(ranks) < 2:
        return
    looks = _looks(ranks)
    starts = np.flatnonzero(np.diff(looks.key, prepend=~looks.key[:1]))
    ends = np.append(starts[1:], len(looks.key))
    for begin, end in _differing(looks, starts, ends)[:_MOST_TRIED]:
        own = [ranks[number] for number in looks.rank[begin:end].tolist()]
        rows = [
            rank.trace.row(row)
            for rank, row in zip(own, looks.row[begin:end].tolist(), strict=True)
        ]
        if len({(row.op, row.signature) for row in rows}) > 1:
            continue  # these ranks have called something else
        looked = own[0].trace.row(int(looks.looked[begin]))
        if looked.op.startswith(_SHARDED):
            continue
        yield _finding(own, rows[0], looked, looks.digest[begin:end].tolist())
        return


def _differing(
    looks: _Looks, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> list[tuple[int, int]]:
    """Looks at the same that have not seen the same, in the order of the first rank's rows."""
    if not len(starts):
        return []
    least = np.minimum.reduceat(looks.digest, starts)
    most = np.maximum.reduceat(looks.digest, starts)
    found = np.flatnonzero(least != most)
    found = found[np.lexsort((looks.row[starts[found]], looks.rank[starts[found]]))]
    return list(zip(starts[found].tolist(), ends[found].tolist(), strict=True))


def _looks(ranks: Sequence[Rank]) -> _Looks:
    """All looks, sorted by what was looked at, then by rank."""
    columns: list[list[_Numbers]] = [[np.empty(0, np.uint64)] for _ in range(5)]
    for number, rank in enumerate(ranks):
        taken, rows = 0, rank.trace.count_ops()
        for batch in rank.trace.iter_received():
            found = batch.columns
            # A process that was killed may have written a look, and not the row that looked.
            kept = (found["row"] < rows) & (found["looked"] < rows)
            groups = hashes(batch.names["group"])[found["group"]]
            key = mixed((groups, found["sequence"], found["place"]))
            values = (key, found["digest"], found["row"], found["looked"])
            for column, value in zip((0, 1, 3, 4), values, strict=True):
                columns[column].append(value[kept])
            columns[2].append(np.full(int(kept.sum()), number, np.uint64))
            taken += len(batch)
            if taken >= _MOST_LOOKS:
                break
    joined = [np.concatenate(parts) for parts in columns]
    order = np.lexsort((joined[2], joined[0]))
    return _Looks(*(column[order] for column in joined))


def _finding(
    ranks: Sequence[Rank], row: OpRow, looked: OpRow, digests: Sequence[int]
) -> RunFinding:
    site = row.site
    most, count = Counter(digests).most_common(1)[0]
    when = (
        "as it came"
        if looked.index == row.index
        else (f"where each rank first looks at it, in {looked.op}")
    )
    evidence = f"equal layouts and other bits {when}"
    others = [rank for rank, value in zip(ranks, digests, strict=True) if value != most]
    if len(ranks) > 2 and count > len(ranks) // 2:
        evidence += (
            f"; {named(others)} {'has' if len(others) == 1 else 'have'} other bits than most"
        )
    return RunFinding(
        code="replicas-disagree",
        detail=f"what {named(ranks)} hold of the result of {printable(row.op, 80)} differs in step "
        f"{row.step}",
        process=named(ranks),
        file=site.file if site is not None else None,
        line=site.line if site is not None else None,
        evidence=printable(evidence, 400),
        fix=_FIX,
    )
