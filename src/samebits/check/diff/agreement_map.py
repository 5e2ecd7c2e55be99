"""Where two runs agree and where they do not, at a glance: two tables of cells.

One has a column a step and a row for each digest of a step, the other a column for a stretch of
operations and a row for each module. Cells are counted, not sampled: one differing row among
millions makes its cell differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from samebits.check.diff.align import Alignment, align_keys
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.keys import row_keys
from samebits.check.diff.reordered import differing
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column
from samebits.check.trace.schema import NO_SITE, STEP_DIGESTS, STEP_KINDS, Flag

MOST_COLUMNS = 2000
"""Columns of a map: more of them are joined, several to a cell."""

MOST_MODULES = 64
"""Rows of a map; the modules after them share the last one."""

OTHERS = "(other modules)"
OUTSIDE = "(outside modules)"

_COMPARED = ("outputs", "flags", "site", "step")
_HIDDEN = int(Flag.SCRATCH | Flag.OPAQUE)

Cells = npt.NDArray[np.uint8]


class Agreement(IntEnum):
    """What a cell says of its rows; of several, the largest that applies to any."""

    NOTHING = 0
    NOT_COMPARED = 1
    AGREE = 2
    ONLY_ONE_RUN = 3
    DIFFER = 4


@dataclass(frozen=True)
class StepsMap:
    """A row for each digest of a step, a column for each step, or for several.

    Attributes:
        digests: Names of the rows.
        starts: The first step of each column; shape (columns,).
        cells: `Agreement` of each cell, shape (digests, columns).
        losses: The loss of run A and of run B at each step that both took, NaN where none was
            seen; shape (2, steps).
        first: The first step at which each digest differs, None where it never does.
    """

    digests: tuple[str, ...]
    starts: Column
    cells: Cells
    losses: npt.NDArray[np.float64]
    first: tuple[int | None, ...]


@dataclass(frozen=True)
class OperationsMap:
    """A row for each module, a column for a stretch of operations in the order of run A.

    Attributes:
        modules: Paths of the modules in the order in which they first ran.
        starts: The first row of run A in each column; shape (columns,).
        steps: The step of that row; shape (columns,).
        cells: `Agreement` of each cell, shape (modules, columns).
        rows: Operations that were compared, that differ, that only A has, that only B has.
        differing: For each cell that differs, the number of its first differing row in A and in B.
    """

    modules: tuple[str, ...]
    starts: Column
    steps: Column
    cells: Cells
    rows: tuple[int, int, int, int]
    differing: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)


def steps_map(a: Trace, b: Trace, *, rank: int = 0, most: int = MOST_COLUMNS) -> StepsMap:
    """Compare the digests of two runs step by step.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose steps.
        most: Columns at most.

    Raises:
        TraceError: A trace is damaged.
    """
    of_a, of_b = a.steps(rank), b.steps(rank)
    counts = len(of_a["step"]), len(of_b["step"])
    common, total = min(counts), max(counts)
    # The row of the end has no counterpart where the other run went on.
    while common and of_a["kind"][common - 1] != of_b["kind"][common - 1]:
        common -= 1
    taken = int((of_a["kind"][:common] == STEP_KINDS.index("step")).sum())
    states = np.zeros((len(STEP_DIGESTS), total), np.uint8)
    first: list[int | None] = []
    for row, name in enumerate(STEP_DIGESTS):
        mine, other = of_a[name][:common], of_b[name][:common]
        seen = (mine != 0) | (other != 0)
        differs = mine != other
        states[row, :common] = np.where(
            differs, Agreement.DIFFER, np.where(seen, Agreement.AGREE, Agreement.NOTHING)
        )
        states[row, common:] = Agreement.ONLY_ONE_RUN
        first.append(int(of_a["step"][int(differs.argmax())]) if differs.any() else None)
    longer = of_a if counts[0] >= counts[1] else of_b
    edges = _edges(total, most)
    return StepsMap(
        digests=STEP_DIGESTS,
        starts=longer["step"][edges].astype(np.int64),
        cells=_joined(states, edges),
        losses=np.stack([of_a["loss_value"][:taken], of_b["loss_value"][:taken]]),
        first=tuple(first),
    )


def operations_map(a: Trace, b: Trace, *, rank: int = 0, most: int = MOST_COLUMNS) -> OperationsMap:
    """Compare the operations of two runs, aligned, module by module.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        most: Columns at most.

    Raises:
        TraceError: A trace is damaged.
    """
    alignment = _alignment(a, b, rank)
    of_a, of_b = a.ops(_COMPARED, rank).columns, b.ops(_COMPARED, rank).columns
    total = len(of_a["outputs"])
    counterpart = np.full(total, -1, np.int64)
    only_b = np.ones(len(of_b["outputs"]), bool)
    for first, other, length in alignment.blocks.tolist():
        counterpart[first : first + length] = np.arange(other, other + length)
        only_b[other : other + length] = False
    aligned = counterpart >= 0
    state = np.full(total, Agreement.ONLY_ONE_RUN, np.uint8)
    mine = {name: of_a[name][aligned] for name in ("outputs", "flags")}
    theirs = {name: of_b[name][counterpart[aligned]] for name in ("outputs", "flags")}
    hidden = ((mine["flags"] | theirs["flags"]) & _HIDDEN) != 0
    state[aligned] = np.where(
        differing(mine, theirs),
        Agreement.DIFFER,
        np.where(hidden, Agreement.NOT_COMPARED, Agreement.AGREE),
    )
    names, module_of_site = _modules(a, rank)
    module = module_of_site[np.where(of_a["site"] == NO_SITE, -1, of_a["site"].astype(np.int64))]
    edges = _edges(total, most)
    column = np.searchsorted(edges, np.arange(total), side="right") - 1
    shown, module = _in_order(names, module)
    cells = np.zeros((len(shown), len(edges)), np.uint8)
    np.maximum.at(cells, (module, column), state)
    return OperationsMap(
        modules=shown,
        starts=edges,
        steps=of_a["step"][edges].astype(np.int64),
        cells=cells,
        rows=(
            int(aligned.sum() - hidden.sum()),
            int((state == Agreement.DIFFER).sum()),
            int((~aligned).sum()),
            int(only_b.sum()),
        ),
        differing=dict(_first_differing(state, module, column, counterpart)),
    )


def _alignment(a: Trace, b: Trace, rank: int) -> Alignment:
    files = correspondence(a, b)
    lines = not files.edited
    return align_keys(
        row_keys(a, rank, lines=lines, files=files.a), row_keys(b, rank, lines=lines, files=files.b)
    )


def _edges(total: int, most: int) -> npt.NDArray[np.int64]:
    """Where the columns begin: one each, or as many of the same width as there may be."""
    columns = min(total, most)
    return np.arange(columns, dtype=np.int64) * total // max(1, columns)


def _joined(states: Cells, edges: npt.NDArray[np.int64]) -> Cells:
    if not len(edges):
        return states
    joined: Cells = np.maximum.reduceat(states, edges, axis=1)
    return joined


def _modules(trace: Trace, rank: int) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Names of modules, and the number of its module for each site; for none at the end."""
    numbers: dict[str, int] = {}
    of_site = [
        numbers.setdefault(site.module or OUTSIDE, len(numbers)) for site in trace.sites(rank)
    ]
    of_site.append(numbers.setdefault(OUTSIDE, len(numbers)))
    return list(numbers), np.array(of_site, np.int64)


def _in_order(
    names: Sequence[str], module: npt.NDArray[np.int64]
) -> tuple[tuple[str, ...], npt.NDArray[np.int64]]:
    """The modules that ran, numbered in the order in which they did, the last ones as one."""
    seen, where = np.unique(module, return_index=True)
    ordered = seen[np.argsort(where)]
    number = np.zeros(len(names), np.int64)
    number[ordered] = np.arange(len(ordered))
    shown = [names[index] for index in ordered]
    if len(shown) > MOST_MODULES:
        shown = [*shown[: MOST_MODULES - 1], OTHERS]
    return tuple(shown), np.minimum(number[module], MOST_MODULES - 1)


def _first_differing(
    state: Cells,
    module: npt.NDArray[np.int64],
    column: npt.NDArray[np.int64],
    counterpart: npt.NDArray[np.int64],
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    rows = np.flatnonzero(state == Agreement.DIFFER)
    cell = np.stack([module[rows], column[rows]], axis=1)
    _, first = np.unique(cell, axis=0, return_index=True)
    for index in sorted(first.tolist()):
        row = int(rows[index])
        yield (int(module[row]), int(column[row])), (row, int(counterpart[row]))
