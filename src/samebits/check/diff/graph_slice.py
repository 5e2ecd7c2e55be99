"""The slice of a step's graph from the operation that differs first to the loss.

Rows say which operations gave other bits. Notes of the tensors say which operation made what each
was given; an edge carries the difference where its maker gave other bits and the tensor itself has
other bits. The slice is what lies on a path of such edges from the first operation to the loss.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from samebits.check.diff.explanation import CarriedTensor, GraphSlice, SlicePart
from samebits.check.diff.followed import Followed, RowDistance
from samebits.check.diff.step_agreement import StepAgreement
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow
from samebits.check.trace.schema import PHASES

MOST_PARTS = 24
"""Parts that a slice is shown in: of more operations, those of one line or one module are one."""

_MOST_OPS = 4
_BACKWARD, _OPTIMIZER = PHASES.index("backward"), PHASES.index("optimizer")
_STARTS_BACKWARD = "aten.ones_like"
"""The derivative of the loss by itself, which `backward` begins with."""

Edges = Mapping[int, Mapping[int, tuple[str, ...]]]
"""Row → row that made what it was given → dtypes and shapes of the tensors."""


@dataclass(frozen=True)
class Graph:
    """The edges of a step that carry a difference.

    Attributes:
        edges: The edges, by the row that they lead to.
        gave: Rows that gave other bits.
        given: Rows that were given other bits.
    """

    edges: Edges
    gave: frozenset[int]
    given: frozenset[int]


def carrying_edges(rows: StepAgreement, a: Followed, b: Followed) -> Graph:
    """The edges of a step by which a difference went from one operation to another.

    Args:
        rows: Where the runs agree from the first difference on.
        a: What run A noted of its tensors.
        b: The same of run B.
    """
    # The row of what came from outside tells of it by what its operation was given.
    begins = {rows.begin} if rows.given[0] or rows.gave[0] else set()
    gave = frozenset((rows.begin + np.flatnonzero(rows.gave)).tolist()) | begins
    edges: dict[int, dict[int, tuple[str, ...]]] = {}
    for at, counterpart in enumerate(rows.counterpart.tolist()):
        row = rows.begin + at
        other = b.get(counterpart, {})
        for place, tensor in a.get(row, {}).items():
            twin = other.get(place)
            if twin is None or tensor.digest == twin.digest or not (tensor.digest and twin.digest):
                continue
            for maker in tensor.makers:
                if maker in gave and maker < row:
                    found = edges.setdefault(row, {})
                    found[maker] = (*found.get(maker, ()), tensor.signature)
    return Graph(edges, gave, frozenset((rows.begin + np.flatnonzero(rows.given)).tolist()))


def graph_slice(
    rows: StepAgreement,
    graph: Graph,
    trace: Trace,
    step: int,
    distances: Iterable[RowDistance] = (),
    *,
    most: int = MOST_PARTS,
) -> GraphSlice | None:
    """The slice from the first operation of `rows` to the loss.

    Args:
        rows: Where the runs agree from the first difference on.
        graph: The edges that carry a difference.
        trace: What run A has recorded.
        step: The step.
        distances: How far results lie apart, where that is known.
        most: Parts at most.

    Returns:
        None where the first operation of `rows` agrees: then nothing began there.

    Raises:
        TraceError: The trace is damaged.
    """
    first = rows.begin
    if first not in graph.gave:
        return None
    touched = _reached_from(first, graph.edges)
    reached = touched & graph.gave
    losses = _losses(rows, graph, trace)
    goal, ends = _goal(rows, graph.edges, reached, losses or set())
    chosen = sorted(_leading_to(ends, graph.edges, reached))
    found = {row.index: row for row in trace.rows(chosen)}
    joined, parts = _parts([found[row] for row in chosen], most)
    return GraphSlice(
        step=step,
        goal=goal,
        parts=tuple(_shown(parts, graph.edges, ends, {d[0]: d[1:] for d in distances})),
        loss=None if losses is None else goal == "loss",
        operations=len(chosen),
        reached=len(reached),
        absorbed=sum(bool(rows.told[row - first]) for row in touched - graph.gave),
        others=sum(row not in graph.edges and row not in graph.given for row in graph.gave) - 1,
        joined=joined,
    )


def _reached_from(first: int, edges: Edges) -> set[int]:
    """The rows that a path of edges leads to; rows only take from earlier ones."""
    reached = {first}
    for row in sorted(edges):
        if not reached.isdisjoint(edges[row]):
            reached.add(row)
    return reached


def _leading_to(ends: Collection[int], edges: Edges, among: Collection[int]) -> set[int]:
    """The rows among others that a path leads from to any of the ends."""
    leading = set(ends)
    for row in sorted(edges, reverse=True):
        if row in leading:
            leading |= edges[row].keys() & among
    return leading


def _goal(
    rows: StepAgreement, edges: Edges, reached: Collection[int], losses: Collection[int]
) -> tuple[Literal["loss", "optimizer", "end"], set[int]]:
    loss = set(losses) & set(reached)
    if loss:
        return "loss", loss
    last = {row for row in reached if rows.phase[row - rows.begin] == _OPTIMIZER}
    if last:
        return "optimizer", last
    made = {maker for row in reached for maker in edges.get(row, {})}
    return "end", {row for row in reached if row not in made}


def _losses(rows: StepAgreement, graph: Graph, trace: Trace) -> set[int] | None:
    """Rows with other bits that made what `backward` was called on; None where none is known."""
    backward = np.flatnonzero(rows.phase == _BACKWARD)
    if not len(backward) or backward[0] == 0:
        return None
    start = rows.begin + int(backward[0])
    before = range(start, max(rows.begin, start - 2) - 1, -1)
    begins = next((r for r in trace.rows(before) if r.op.startswith(_STARTS_BACKWARD)), None)
    return None if begins is None else set(graph.edges.get(begins.index, {}))


def _parts(
    rows: Sequence[OpRow], most: int
) -> tuple[Literal["operation", "line", "module"], list[list[OpRow]]]:
    """Neighbouring rows that are shown as one, by the finest rule that gives few enough."""
    depth = max((_module(row).count(".") for row in rows), default=0) + 1
    rules: list[tuple[Literal["operation", "line", "module"], Callable[[OpRow], object]]] = [
        ("operation", lambda row: row.index),
        ("line", lambda row: (row.phase, row.site)),
        ("module", lambda row: (row.phase, _module(row))),
    ]
    for kept in range(depth - 1, -1, -1):
        rules.append(("module", _of_depth(kept)))
    for name, key in rules:
        parts = _joined(rows, key)
        if len(parts) <= most:
            return name, parts
    middle = [row for part in parts[most // 2 : -(most // 2)] for row in part]
    return "module", [*parts[: most // 2], middle, *parts[-(most // 2) :]]


def _module(row: OpRow) -> str:
    return "" if row.site is None else row.site.module


def _of_depth(kept: int) -> Callable[[OpRow], object]:
    return lambda row: (row.phase, ".".join(_module(row).split(".")[:kept]))


def _joined(rows: Sequence[OpRow], key: Callable[[OpRow], object]) -> list[list[OpRow]]:
    parts: list[list[OpRow]] = []
    for row in rows:
        # Where it began, and what it leads to, stand by themselves as far as possible.
        if len(parts) > 1 and key(parts[-1][-1]) == key(row):
            parts[-1].append(row)
        else:
            parts.append([row])
    return parts


def _shown(
    parts: Sequence[Sequence[OpRow]],
    edges: Edges,
    ends: Collection[int],
    distances: Mapping[int, tuple[int, float]],
) -> Iterator[SlicePart]:
    part_of = {row.index: number for number, part in enumerate(parts) for row in part}
    for number, part in enumerate(parts):
        known = [distances[row.index] for row in part if row.index in distances]
        sites = {row.site for row in part}
        site = part[0].site if len(sites) == 1 else None
        modules = {_module(row) for row in part}
        yield SlicePart(
            phase=part[0].phase,
            file="" if site is None else site.file,
            line=0 if site is None else site.line,
            module=_shared(modules),
            ops=tuple(dict.fromkeys(row.op for row in part))[:_MOST_OPS],
            operations=len(part),
            row=part[0].index,
            given=tuple(_given(number, part, edges, part_of)),
            max_ulp=known[-1][0] if known else None,
            max_relative=known[-1][1] if known else None,
            is_goal=any(row.index in ends for row in part),
        )


def _shared(modules: Iterable[str]) -> str:
    """The path that all of them lie below."""
    same: list[str] = []
    for level in zip(*(name.split(".") for name in modules), strict=False):
        if len(set(level)) > 1:
            break
        same.append(level[0])
    return ".".join(same)


def _given(
    number: int, part: Sequence[OpRow], edges: Edges, part_of: Mapping[int, int]
) -> Iterator[CarriedTensor]:
    found: dict[int, list[str]] = {}
    for row in part:
        for maker, signatures in edges.get(row.index, {}).items():
            source = part_of.get(maker, number)
            if source != number:
                found.setdefault(source, []).extend(signatures)
    for source, tensors in sorted(found.items()):
        yield CarriedTensor(source=source, signature=tensors[0], others=len(tensors) - 1)
