"""ledger.arrow: rows of the ledger, written at once when a run has ended.

The lines of the user's code stand in the file itself, not as numbers into sites.arrow: rows come
from several processes, and the file is written after the other tables have been closed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from samebits.check.trace import arrow, schema, seal
from samebits.check.trace.frame_stream import FrameStream
from samebits.check.trace.rows import LedgerRow, NameTable, Site
from samebits.core.names import printable, storable
from samebits.errors import TraceError

_CODES = {"source": schema.LEDGER_SOURCES, "event": schema.LEDGER_EVENTS}
_NOWHERE = ""  # the file of a row that no user line led to


def write_ledger(
    folder: str | os.PathLike[str], rows: Sequence[LedgerRow], *, rank: int = 0
) -> dict[str, Any]:
    """Write ledger.arrow into a run folder whose other tables are closed, and seal it.

    Args:
        folder: The run folder.
        rows: In the order in which `LedgerRow.origin` counts them.
        rank: Of the process whose folder it is.

    Returns:
        What belongs into the manifest's `seals` under the file's name.

    Raises:
        TraceError: It cannot be written, or is there already.
    """
    path = Path(folder, schema.for_rank(schema.LEDGER_FILE, rank))
    stream = FrameStream(path.name, schema.LEDGER_SCHEMA)
    lines, content = [], b""
    for start in range(0, len(rows), schema.MAX_BATCH_ROWS):
        batch = rows[start : start + schema.MAX_BATCH_ROWS]
        frame = stream.encode(_arrays(batch))
        lines.append(stream.sealed(frame, len(batch)))
        content += frame
    end = stream.finish()
    lines.append(stream.sealed(end, 0))
    try:
        with path.open("xb") as file:
            file.write(content + end)
        _append_seals(Path(folder, schema.for_rank(schema.SEALS_FILE, rank)), lines)
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise TraceError(
            f"cannot write {printable(str(path))}: {error.strerror or error}",
            hint="Make room or choose another folder; the rest of the run is readable.",
        ) from error
    return stream.claim


def _append_seals(path: Path, lines: Sequence[str]) -> None:
    """Add lines; half a line that a killed process has left goes first."""
    with path.open("r+b") as file:
        whole = file.read()
        keep = whole.rfind(b"\n") + 1
        if keep == 0:
            whole, keep = b"", 0
            lines = [seal.HEADER, *lines]
        file.seek(keep)
        file.truncate()
        file.write("".join(f"{line}\n" for line in lines).encode())


def _arrays(rows: Sequence[LedgerRow]) -> list[pa.Array]:
    sites = [row.site or Site(_NOWHERE, 0, "", "") for row in rows]
    arrays = []
    for field in schema.LEDGER_SCHEMA:
        name = field.name
        if name in _CODES:
            codes = np.array([_CODES[name].index(getattr(row, name)) for row in rows], np.uint8)
            indices = arrow.fixed_width(codes, pa.uint8())
            names = arrow.utf8(_CODES[name])
            arrays.append(pa.DictionaryArray.from_arrays(indices, names, safe=False))
        elif name in ("file", "function"):
            arrays.append(arrow.utf8([storable(getattr(site, name)) for site in sites]))
        elif name == "detail":
            arrays.append(arrow.utf8([storable(row.detail) for row in rows]))
        else:
            values = (
                [site.line for site in sites]
                if name == "line"
                else [getattr(row, name) for row in rows]
            )
            dtype = schema.LEDGER_DTYPES[name]
            arrays.append(arrow.fixed_width(np.array(values, dtype=dtype), field.type))
    return arrays


def read_rows(batches: Iterable[pa.RecordBatch], where: str) -> list[LedgerRow]:
    """The rows of validated batches of ledger.arrow.

    Args:
        batches: With every column of `schema.LEDGER_SCHEMA`.
        where: The file, for messages.

    Raises:
        TraceError: A source or an event is unknown, or a row comes from a row that is not there.
    """
    tables = {name: NameTable(known) for name, known in _CODES.items()}
    rows: list[LedgerRow] = []
    for batch in batches:
        columns: dict[str, list[Any]] = {}
        for field in schema.LEDGER_SCHEMA:
            array = batch.column(field.name)
            if field.name in tables:
                table = tables[field.name]
                codes = table.codes(array, np.dtype(np.uint8), where)
                if len(table.names) > len(_CODES[field.name]):
                    unknown = printable(table.names[len(_CODES[field.name])], 40)
                    raise TraceError(f"{where}: '{unknown}' is no {field.name}", hint=seal.DAMAGED)
                columns[field.name] = [table.names[code] for code in codes.tolist()]
            else:
                columns[field.name] = array.to_pylist()
        files, lines, functions = (columns.pop(name) for name in ("file", "line", "function"))
        sites = [
            Site(file, line, function, "") if file else None
            for file, line, function in zip(files, lines, functions, strict=True)
        ]
        names = tuple(columns)
        rows += [
            LedgerRow(site=site, **dict(zip(names, values, strict=True)))
            for site, values in zip(sites, zip(*columns.values(), strict=True), strict=True)
        ]
    for row in rows:
        if not (-1 <= row.origin < len(rows) and row.seeded <= 2):
            raise TraceError(f"{where}: a row makes no sense", hint=seal.DAMAGED)
    return rows
