"""Workers of one DataLoader that draw the same random numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.check.diff.verdict import RunFinding
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.core.names import printable

_SHOWN = 3
_FIX = (
    "Give each worker numbers of its own: seed a generator in worker_init_fn from "
    "torch.utils.data.get_worker_info().seed, or draw for each sample from one that is seeded by "
    "its index, such as numpy.random.default_rng([seed, epoch, index])."
)


@dataclass(frozen=True)
class _Place:
    """Where numbers are drawn: what is called, from which source, at which line."""

    source: str
    detail: str
    file: str
    line: int


def workers_draw_alike(traces: Iterable[tuple[str, Trace]]) -> Iterator[RunFinding]:
    """Draws, for their samples, by which several workers of one loader get the same numbers.

    Args:
        traces: Each process's name, as it is told, and what it has recorded.

    Raises:
        TraceError: A run folder is damaged.
    """
    found: dict[_Place, tuple[str, list[LedgerRow], bool]] = {}
    for process, trace in traces:
        for place, draws in _draws(trace.ledger()).items():
            alike = _alike(draws)
            if alike:
                found.setdefault(place, (process, alike, _is_repeated(draws, alike[0])))
    if found:
        yield _finding(list(found), *next(iter(found.values())))


def _draws(rows: Iterable[LedgerRow]) -> dict[_Place, list[LedgerRow]]:
    """The rows of workers whose numbers are known, by where they were drawn."""
    found: dict[_Place, list[LedgerRow]] = {}
    for row in rows:
        if row.event == "draw" and row.worker >= 0 and row.order_free and row.site is not None:
            place = _Place(row.source, row.detail, row.site.file, row.site.line)
            found.setdefault(place, []).append(row)
    return found


def _alike(draws: Sequence[LedgerRow]) -> list[LedgerRow]:
    """The first rows of several workers of one loader that drew the same; empty for none."""
    found: dict[tuple[int, int], list[LedgerRow]] = {}
    for row in draws:
        # A loader starts its workers one right after the other.
        found.setdefault((row.process - row.worker, row.order_free), []).append(row)
    several = (rows for rows in found.values() if len({row.worker for row in rows}) > 1)
    return next(several, [])


def _is_repeated(draws: Iterable[LedgerRow], drawn: LedgerRow) -> bool:
    """Whether workers of a later loop over the loader draw these numbers again."""
    loops = {row.process - row.worker for row in draws if row.order_free == drawn.order_free}
    return len(loops) > 1


def _finding(
    places: Sequence[_Place], process: str, alike: Sequence[LedgerRow], repeated: bool
) -> RunFinding:
    workers = _listed(sorted({row.worker for row in alike}))
    of = f" of {process}" if process else ""
    evidence = "equal numbers in the same order, for the samples after the first batch of each"
    if repeated:
        evidence += "; workers that are started anew, as in each epoch, draw them again"
    first, *others = places
    lines = list(dict.fromkeys(f"{Path(one.file).name}:{one.line}" for one in others))
    if lines:
        more = f" and {len(lines) - _SHOWN} more lines" if len(lines) > _SHOWN else ""
        evidence += f"; the same holds at {printable(', '.join(lines[:_SHOWN]), 200)}{more}"
    return RunFinding(
        code="identical-randomness",
        detail=f"loader workers {workers}{of} draw the same random numbers at "
        f"{printable(first.detail, 80)}",
        process=process,
        file=first.file,
        line=first.line,
        evidence=evidence,
        fix=_FIX,
    )


def _listed(numbers: Sequence[int]) -> str:
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
