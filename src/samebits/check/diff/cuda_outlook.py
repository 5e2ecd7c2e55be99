"""What a recorded run would meet on CUDA under deterministic algorithms."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from samebits.check.diff.all_processes import all_processes
from samebits.check.diff.verdict import Verdict
from samebits.check.trace import schema
from samebits.check.trace.reader import Site, Trace
from samebits.core.catalog.cuda_outlook import OutlookContext, meets_on_cuda
from samebits.core.catalog.operations import operation_name, operations, operators
from samebits.core.names import printable

_COLUMNS = ("op", "phase", "signature", "site")

Key = tuple[str, str, str, Site | None]
"""Operation, phase, signature and site of a row."""

Line = tuple[str | None, int | None]
"""File and line, as far as they are known."""


def with_cuda_outlook(verdict: Verdict) -> Verdict:
    """A verdict with the outlook of its first run; a script that failed gets none.

    Raises:
        TraceError: The run folder is damaged.
    """
    if verdict.verdict == "failed" or not verdict.runs:
        return verdict
    return replace(verdict, cuda_outlook=cuda_outlook(Trace.open(verdict.runs[0].folder)))


def cuda_outlook(trace: Trace) -> tuple[dict[str, Any], ...]:
    """The recorded operations that raise, or take another form, on CUDA.

    Those of every recorded process and thread count. Only what was recorded is seen:
    at level "auto" the operations up to the first optimizer step,
    at level "step" none.

    Args:
        trace: A run, recorded on whatever device.

    Returns:
        The verdict file's `cuda_outlook`: `{op, phase, status, file, line, count, instead}`, those
        that raise before those that switch, each in the order of files and lines. `file` and
        `line` are None where no line could be named. Operations of one name at one line are one
        entry.

    Raises:
        TraceError: The trace is damaged.
    """
    surroundings = _surroundings(trace)
    rows: Counter[Key] = Counter()
    for _, own in all_processes(trace):
        for rank in own.ranks:
            rows.update(_rows_of(own, rank))
    signatures = _signatures(rows)
    found: Counter[tuple[str, str, str, str | None, int | None, str]] = Counter()
    for (op, phase, signature, site), count in rows.items():
        line = _line(site)
        entry = meets_on_cuda(
            op,
            phase,
            signature,
            surroundings=surroundings,
            forward=partial(_signatures_at, signatures, line),
        )
        if entry is not None:
            found[(printable(op, 200), phase, entry.mode, *line, entry.instead)] += count
    names = ("op", "phase", "status", "file", "line", "instead")
    entries = [dict(zip(names, key, strict=True), count=count) for key, count in found.items()]
    return tuple(sorted(entries, key=_order))


def _order(entry: dict[str, Any]) -> tuple[bool, bool, str, int, str, str]:
    unplaced = entry["file"] is None
    return (
        entry["status"] != "raises",
        unplaced,
        "" if unplaced else entry["file"],
        entry["line"] or 0,
        entry["op"],
        entry["phase"],
    )


def _line(site: Site | None) -> Line:
    if site is None:
        return None, None
    return printable(site.file, 4096), site.line if site.line > 0 else None


def _surroundings(trace: Trace) -> OutlookContext:
    """The manifest's environment, which is free form: what is not as expected is not known."""
    facts, variables = (trace.manifest.environment.get(k) for k in ("torch", "variables"))
    torch = facts.get("version") if isinstance(facts, dict) else None
    return OutlookContext(
        torch=torch if isinstance(torch, str) else None,
        variables=frozenset(variables) if isinstance(variables, dict) else (),
    )


def _rows_of(trace: Trace, rank: int) -> Counter[Key]:
    """How often each operation of the catalog ran; the others, nearly all of them, are skipped."""
    wanted = operators() | {
        operation_name(entry.forward.op).operator for entry in operations() if entry.forward
    }
    sites = trace.sites(rank)
    rows: Counter[Key] = Counter()
    known = np.empty(0, np.bool_)
    for batch in trace.iter_ops(_COLUMNS, rank):
        names = batch.names["op"]
        fresh = [_operator_in(name, wanted) for name in names[len(known) :]]
        known = np.concatenate([known, np.array(fresh, np.bool_)])
        chosen = known[batch.columns["op"]]
        codes = np.stack([batch.columns[name][chosen] for name in _COLUMNS], axis=1, dtype=np.int64)
        for (op, phase, signature, site), count in Counter(map(tuple, codes.tolist())).items():
            key = (
                names[op],
                batch.names["phase"][phase],
                batch.names["signature"][signature],
                None if site == schema.NO_SITE else sites[site],
            )
            rows[key] += count
    return rows


def _operator_in(name: str, wanted: Collection[str]) -> bool:
    return operation_name(name).operator in wanted


def _signatures(rows: Collection[Key]) -> dict[tuple[str, Line], set[str]]:
    """Operator and line → the signatures that it had there."""
    found: defaultdict[tuple[str, Line], set[str]] = defaultdict(set)
    for op, _, signature, site in rows:
        found[operation_name(op).operator, _line(site)].add(signature)
    return dict(found)


def _signatures_at(
    signatures: Mapping[tuple[str, Line], set[str]], line: Line, operator: str
) -> Collection[str]:
    return signatures.get((operator, line), ())
