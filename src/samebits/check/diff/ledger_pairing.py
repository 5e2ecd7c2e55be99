"""Two ledgers side by side: each entry with its counterpart in the other run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from samebits.check.diff.correspondence import Correspondence, RunFiles
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.position import last_row
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.rows import LedgerRow


def pair_ledgers(
    found: Divergence,
    of_a: Sequence[LedgerRow],
    of_b: Sequence[LedgerRow],
    files: Correspondence | None = None,
) -> tuple[LedgerPair, ...]:
    """Two ledgers' entries up to a divergence, each with its counterpart, in order."""
    files = files or Correspondence()
    lines = not files.edited
    counterparts: dict[tuple[object, ...], list[LedgerRow]] = {}
    for row in _until(found, of_b):
        counterparts.setdefault(_key(row, files.b, lines=lines), []).append(row)
    entries = []
    for row in _until(found, of_a):
        others = counterparts.get(_key(row, files.a, lines=lines))
        other = others.pop(0) if others else None
        origin = _origin(row, of_a)
        if origin is not None and other is not None and not _is_like(origin, _origin(other, of_b)):
            origin = None
        entries.append(LedgerPair(row=row, other=other, origin=origin))
    for rows in counterparts.values():
        entries += [
            LedgerPair(row=row, origin=_origin(row, of_b), only_second=True) for row in rows
        ]
    # The main process first: what children do, they do in between.
    return tuple(sorted(entries, key=lambda e: (e.row.process, e.row.first_step, e.row.first_row)))


def _origin(row: LedgerRow, ledger: Sequence[LedgerRow]) -> LedgerRow | None:
    return ledger[row.origin] if 0 <= row.origin < len(ledger) else None


def _is_like(origin: LedgerRow, other: LedgerRow | None) -> bool:
    """Whether the other run's seed came from the same thing.

    An origin is told by its value. That a small number which somebody wrote down is also the end of
    a clock's reading happens by chance, about once in a few thousand runs, but not in both.
    """
    return other is not None and (origin.source, origin.detail) == (other.source, other.detail)


def _key(row: LedgerRow, files: RunFiles, *, lines: bool) -> tuple[object, ...]:
    # What a file is called may be made up anew in each run (a temporary folder): the line counts.
    detail = "" if row.source in ("file", "listing") else row.detail
    site = row.site
    return (
        row.source,
        row.event,
        detail,
        None if site is None else (files.name(site.file), site.line if lines else 0, site.function),
        row.worker,
    )


def is_of_an_import(row: LedgerRow) -> bool:
    """Whether a library did it on its own behalf while it was imported."""
    of_library = row.detail.startswith("import ") or row.detail.endswith(".__getattr__")
    return of_library and row.event != "seed"


def _until(found: Divergence, rows: Iterable[LedgerRow]) -> list[LedgerRow]:
    """The entries that were made before the runs diverged, imports aside."""
    rows = [row for row in rows if not is_of_an_import(row)]
    if found.kind in ("saved", "printed", "exit"):
        return rows
    if found.kind == "step":
        return [row for row in rows if row.first_step <= found.step]
    last = last_row(found)
    return [
        row
        for row in rows
        if row.first_step < found.step or (row.first_step == found.step and row.first_row <= last)
    ]
