"""Parameters that the ranks of a sharded model have gathered, and that are not the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from samebits.check.agreement.keys import hashes
from samebits.check.agreement.ranks import Rank, named
from samebits.check.diff.verdict import RunFinding
from samebits.core.names import printable

_GATHERED = "fsdp.split_with_sizes_copy"
"""FSDP2's operation that lays out in tensors what an all-gather has brought."""


def gathered_disagree(ranks: Sequence[Rank]) -> Iterator[RunFinding]:
    """The first parameters that ranks have gathered for the same module and that differ.

    Args:
        ranks: Those that share the shards of a model, with nobody else.
    """
    teams = {tuple(entry.get("group") or ()) for rank in ranks for entry in rank.noted("sharded")}
    if len(ranks) < 2 or len(teams) != 1:
        return  # a rank that gathers in several groups does so in an order that is not noted
    found = [_gathers(rank) for rank in ranks]
    length = min(len(rows) for rows, _, _ in found)
    kinds = np.stack([kinds[:length] for _, kinds, _ in found])
    values = np.stack([values[:length] for _, _, values in found])
    alike = (kinds == kinds[0]).all(axis=(0, 2))
    length = length if alike.all() else int(alike.argmin())
    differ = (values != values[0]).any(axis=0)[:length] & (values != 0).all(axis=0)[:length]
    if not differ.any():
        return
    at = int(differ.argmax())
    row = ranks[0].trace.row(int(found[0][0][at]))
    site = row.site
    module = f" of {printable(site.module, 80)}" if site is not None and site.module else ""
    yield RunFinding(
        code="replicas-disagree",
        detail=f"the parameters{module} that {named(ranks)} gather differ in step {row.step}",
        process=named(ranks),
        file=site.file if site is not None else None,
        line=site.line if site is not None else None,
        evidence=_evidence(ranks, values[:, at].tolist(), at),
        fix="Let all ranks of a group gather the same: shard the modules in the same order on each "
        "of them, and write to no gathered parameter on one rank alone.",
    )


def _evidence(ranks: Sequence[Rank], values: Sequence[int], before: int) -> str:
    most, count = Counter(values).most_common(1)[0]
    agreed = f"what they gathered {before} times before agrees" if before else "the first gathering"
    others = [rank for rank, value in zip(ranks, values, strict=True) if value != most]
    if len(ranks) > 2 and count > len(ranks) // 2:
        return f"{agreed}; {named(others)} {'has' if len(others) == 1 else 'have'} other bits"
    return agreed


def _gathers(
    rank: Rank,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Of each gathering: its row; its step and what it looks like; its result, 0 for unknown."""
    rows, kinds, values = [], [], []
    for batch in rank.trace.iter_ops(("op", "signature", "step", "outputs")):
        columns, names = batch.columns, batch.names
        wanted = [code for code, name in enumerate(names["op"]) if name.startswith(_GATHERED)]
        at = np.flatnonzero(np.isin(columns["op"], wanted))
        rows.append(at + batch.start)
        values.append(columns["outputs"][at])
        shown = hashes(names["signature"])[columns["signature"][at]]
        kinds.append(np.stack([columns["step"][at], shown], axis=1))
    return (
        np.concatenate([np.empty(0, np.int64), *rows]),
        np.concatenate([np.empty((0, 2), np.uint64), *kinds]).astype(np.uint64),
        np.concatenate([np.empty(0, np.uint64), *values]),
    )
