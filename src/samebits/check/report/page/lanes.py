"""What two runs of a process look like side by side: the maps and curves of the page, as data."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samebits.check.diff.agreement_map import (
    Agreement,
    OperationsMap,
    StepsMap,
    operations_map,
    steps_map,
)
from samebits.check.diff.growth import Growth, growth
from samebits.check.diff.tensor_views import ulp_distance
from samebits.check.report.page.neighbours import OperationDetail, operation_details
from samebits.check.report.printable import printable_name
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column
from samebits.core.names import printable

MOST_LANES = 16
"""Processes that are drawn; the others are in the verdict's table of runs."""

MOST_POINTS = 2000
"""Points of a curve: of more steps, the largest distance of several is drawn."""


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One process, as both runs have it.

    Attributes:
        name: "the script", "rank 1", or as the manifest calls it.
        steps: The map of steps, None where neither run took one.
        operations: The map of operations, None where none was recorded in both runs.
        growth: How far the losses lie apart, None where no loss was seen.
        details: Of operations that differ: each with what stands around it.
        process: What the manifest calls it; "0" is the script's own.
    """

    name: str
    steps: StepsMap | None
    operations: OperationsMap | None
    growth: Growth | None
    details: tuple[OperationDetail, ...]
    process: str = "0"

    def to_json(self) -> dict[str, Any]:
        """What the page's script draws."""
        return {
            "name": self.name,
            "steps": None if self.steps is None else _steps_json(self.steps),
            "operations": None if self.operations is None else _operations_json(self.operations),
            "growth": None if self.steps is None else _growth_json(self.growth, self.steps),
            "details": [detail.to_json() for detail in self.details],
        }


def lanes_of(a: Trace, b: Trace) -> Iterator[Lane]:
    """The processes that both runs have recorded, the script's own first.

    Args:
        a: Run A.
        b: Run B.

    Raises:
        TraceError: A trace is damaged.
    """
    shared = [rank for rank in a.ranks if rank in b.ranks]
    for rank in shared[:MOST_LANES]:
        yield _lane("the script" if len(shared) == 1 else f"rank {rank}", a, b, rank)
    names = [p["name"] for p in a.manifest.further if p["recorded"]]
    for name in names[: max(0, MOST_LANES - len(shared))]:
        one, other = a.process(name), b.process(name)
        if one is not None and other is not None:
            yield replace(_lane(_called(a, name), one, other, 0), process=name)


def _called(trace: Trace, name: str) -> str:
    entry = next(p for p in trace.manifest.further if p["name"] == name)
    rank = entry.get("rank", "")
    if rank and entry.get("kind") != "thread":
        return f"rank {printable_name(str(rank), 20)}"
    kind = "thread" if entry.get("kind") == "thread" else "process"
    return f"{kind} {printable_name(name, 60)}"


def _lane(name: str, a: Trace, b: Trace, rank: int) -> Lane:
    steps = steps_map(a, b, rank=rank)
    curve = growth(*steps.losses) if np.isfinite(steps.losses).any() else None
    operations = None
    details: tuple[OperationDetail, ...] = ()
    if a.count_ops(rank) and b.count_ops(rank):
        operations = operations_map(a, b, rank=rank)
        details = operation_details(a, b, rank, operations)
    return Lane(
        name=name,
        steps=steps if a.count_steps(rank) or b.count_steps(rank) else None,
        operations=operations,
        growth=curve,
        details=details,
    )


def _steps_json(found: StepsMap) -> dict[str, Any]:
    seen = np.flatnonzero((found.cells > Agreement.NOTHING).any(axis=1)).tolist()
    return {
        "rows": [found.digests[row] for row in seen],
        "starts": found.starts.tolist(),
        "cells": _encoded(found.cells[seen]),
        "sizes": {"loss": _loss_sizes(found)} if np.isfinite(found.losses).any() else {},
    }


def _loss_sizes(found: StepsMap) -> list[list[float]]:
    """Column, distance in ULP of float32 and relative distance of the losses, where not 0.

    Of losses that are no numbers of float32, ULP of float64.
    """
    a, b = found.losses
    ulp = _ulp_of_losses(a, b)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        relative = np.abs(a - b) / np.maximum(np.abs(a), np.abs(b))
    known = np.flatnonzero(np.isfinite(relative) & (relative > 0))
    largest: dict[int, tuple[int, float]] = {}
    columns = np.searchsorted(found.starts, known, side="right") - 1
    for column, step in zip(columns.tolist(), known.tolist(), strict=True):
        before = largest.get(column, (0, 0.0))
        largest[column] = max(before[0], int(ulp[step])), max(before[1], float(relative[step]))
    return [[column, size[0], float(f"{size[1]:.3g}")] for column, size in largest.items()]


def _ulp_of_losses(a: Column, b: Column) -> Column:
    numbers = [one[np.isfinite(one)] for one in (a, b)]
    with np.errstate(over="ignore"):
        is_single = all((one.astype(np.float32) == one).all() for one in numbers)
        if is_single:
            pair = [np.ascontiguousarray(one, np.float32).view(np.uint32) for one in (a, b)]
            return ulp_distance("F32", *pair)
    return ulp_distance("F64", *(np.ascontiguousarray(one).view(np.uint64) for one in (a, b)))


def _operations_json(found: OperationsMap) -> dict[str, Any]:
    return {
        "rows": [printable(name, 200) for name in found.modules],
        "starts": found.starts.tolist(),
        "steps": found.steps.tolist(),
        "cells": _encoded(found.cells),
        "counts": list(found.rows),
    }


def _growth_json(found: Growth | None, steps: StepsMap) -> dict[str, Any] | None:
    if found is None:
        return None
    total = len(found.distance)
    points = min(total, MOST_POINTS)
    edges = np.arange(points) * total // max(1, points)
    ends = np.append(edges[1:], total) - 1
    distance = np.fmax.reduceat(found.distance, edges) if points else found.distance
    return {
        "steps": edges.tolist(),
        "a": numbers_json(steps.losses[0][ends].tolist()),
        "b": numbers_json(steps.losses[1][ends].tolist()),
        "distance": numbers_json(distance.tolist()),
    }


def numbers_json(values: Iterable[float]) -> list[float | None]:
    """Numbers as JSON has them: of what is no finite number, nothing."""
    return [value if math.isfinite(value) else None for value in values]


def _encoded(cells: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(cells).tobytes()).decode("ascii")
