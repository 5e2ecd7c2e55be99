"""How a difference went on from its first operation, by two runs that followed their tensors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from samebits.check.diff.explanation import GraphSlice
from samebits.check.diff.followed import RowDistance, followed_tensors, row_distances
from samebits.check.diff.graph_slice import carrying_edges, graph_slice
from samebits.check.diff.step_agreement import step_agreement
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace

MOST_DISTANCES = 2000
"""Operations whose distances a verdict holds at most, the first ones."""


@dataclass(frozen=True)
class TensorWay:
    """The slice of the graph, and how far results along it lie apart."""

    slice: GraphSlice | None
    distances: tuple[RowDistance, ...]


def tensor_way(
    found: Divergence, traces: tuple[Trace, Trace], notes: tuple[Path, Path]
) -> TensorWay | None:
    """Follow a difference, tensor by tensor, to the end of the step that it began in.

    Args:
        found: Where the runs diverge: an operation that gave other bits.
        traces: What two runs have recorded that followed their tensors from there.
        notes: What they noted of the tensors.

    Returns:
        None where the operation is in neither of them, or they agree there.

    Raises:
        TraceError: A trace or the notes are damaged.
    """
    begin, begin_b = found.rows
    if begin is None or begin_b is None:
        return None
    rows = step_agreement(*traces, (begin, begin_b), found.step)
    if rows is None:
        return None
    counterpart = {begin + at: other for at, other in enumerate(rows.counterpart.tolist())}
    distances = tuple(row_distances(*notes, counterpart))
    graph = carrying_edges(rows, *map(followed_tensors, notes))
    return TensorWay(
        slice=graph_slice(rows, graph, traces[0], found.step, distances),
        distances=distances[:MOST_DISTANCES],
    )
