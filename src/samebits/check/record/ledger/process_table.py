"""Reading what one process counted; the layout is that of native/record/ledger_table.hpp."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from samebits.check.record.ledger.table_files import table_file
from samebits.check.trace.codes import LEDGER_EVENTS, LEDGER_SOURCES
from samebits.check.trace.rows import LedgerRow, Site

_HEADER = struct.Struct("<8sIIIIIi32x")
_ENTRY = struct.Struct("<QQQQQIiIIIIBBB5x")
_MAGIC = b"sbledger"
_NONE = 0xFFFFFFFF


@dataclass(frozen=True)
class ProcessTable:
    """What one process counted.

    Attributes:
        process: 0 for the recorded process, its children from 1.
        worker: Number of the DataLoader's worker, -1 for any other.
        rows: In the order in which each happened first; `origin` counts within them.
        dropped: Kinds that found no more room.
    """

    process: int
    worker: int
    rows: tuple[LedgerRow, ...]
    dropped: int


def read_tables(workspace: Path, also: Iterable[str] = ()) -> list[ProcessTable]:
    """The tables of the script's own process and of those that it has forked, by their numbers.

    Args:
        workspace: The run's folder for its processes.
        also: Names of other processes' tables, which are numbered after those.
    """
    found = []
    for path in workspace.glob("ledger.*"):
        if path.name.removeprefix("ledger.").isdecimal():
            found.append(read_table(path))
    found.sort(key=lambda table: table.process)
    number = found[-1].process if found else 0
    for name in also:
        path = table_file(workspace, name)
        if path.exists():
            number += 1
            found.append(_numbered(read_table(path), number))
    return found


def _numbered(table: ProcessTable, number: int) -> ProcessTable:
    rows = tuple(replace(row, process=number) for row in table.rows)
    return replace(table, process=number, rows=rows)


def as_recorded_process(table: ProcessTable) -> ProcessTable:
    """The table of a process that was forked, as if it were the script's own."""
    return _numbered(table, 0)


def read_table(path: Path) -> ProcessTable:
    """The table of one process.

    Raises:
        OSError: It cannot be read.
    """
    texts = path.with_name(f"{path.name}.texts")
    return parse_table(path.read_bytes(), texts.read_bytes() if texts.exists() else b"")


def parse_table(table: bytes, texts: bytes) -> ProcessTable:
    """Read a table and its texts; what a killed process left half written is left out.

    Args:
        table: Header and entries; bytes beyond them are room that was never used.
        texts: Each with its length before it.
    """
    if len(table) < _HEADER.size:
        return ProcessTable(0, -1, (), 0)
    magic, version, entry_size, count, dropped, process, worker = _HEADER.unpack_from(table)
    if magic != _MAGIC or version != 1 or entry_size != _ENTRY.size:
        return ProcessTable(0, -1, (), 0)
    count = min(count, (len(table) - _HEADER.size) // _ENTRY.size)
    names = _split(texts)
    rows: list[LedgerRow] = []
    numbers: dict[int, int] = {}  # entry → row
    for entry in range(count):
        fields = _ENTRY.unpack_from(table, _HEADER.size + entry * _ENTRY.size)
        row = _row(fields, names)
        if row is not None:
            numbers[entry] = len(rows)
            rows.append(replace(row, process=process, worker=worker))
    linked = tuple(replace(row, origin=numbers.get(row.origin, -1)) for row in rows)
    return ProcessTable(process, worker, linked, dropped)


def _row(fields: tuple[int, ...], names: list[str]) -> LedgerRow | None:
    (first_row, calls, amount, digest, order_free, step, line) = fields[:7]
    file, function, detail, origin, source, event, seeded = fields[7:]
    if detail >= len(names) or source >= len(LEDGER_SOURCES) or event >= len(LEDGER_EVENTS):
        return None
    site = None
    if file < len(names) and function < len(names):
        site = Site(names[file], line, names[function], "")
    return LedgerRow(
        source=LEDGER_SOURCES[source],
        event=LEDGER_EVENTS[event],
        detail=names[detail],
        site=site,
        first_row=first_row,
        first_step=step,
        calls=calls,
        amount=amount,
        seeded=min(seeded, 2),
        digest=digest,
        order_free=order_free,
        origin=-1 if origin == _NONE else origin,
    )


def _split(texts: bytes) -> list[str]:
    names = []
    position = 0
    while position + 4 <= len(texts):
        size = int.from_bytes(texts[position : position + 4], "little")
        position += 4
        if position + size > len(texts):
            break
        names.append(texts[position : position + size].decode("utf-8", "surrogateescape"))
        position += size
    return names
