"""Writes the rows of a run for other programs: Parquet or CSV, codes written out as names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from samebits.check.trace import schema
from samebits.check.trace.arrow import fixed_width, utf8
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpsBatch, Site
from samebits.core.names import printable
from samebits.errors import UsageError

TABLES = ("ops", "steps", "ledger")
FORMATS = (".parquet", ".csv")

_NO_SITE = Site("", 0, "", "")


def export(trace: Trace, table: str, target: Path, *, rank: int = 0) -> int:
    """Write one table of a run; the file appears whole or not at all.

    Args:
        trace: The run.
        table: One of `TABLES`.
        target: The file; its ending says the format, one of `FORMATS`.
        rank: Whose rows.

    Returns:
        How many rows it has.

    Raises:
        UsageError: The table or the format is not known, or the file cannot be written.
        TraceError: The run is damaged.
    """
    if table not in TABLES:
        raise UsageError(f"{printable(table)!r} is no table", hint=f"Choose {', '.join(TABLES)}.")
    if target.suffix.lower() not in FORMATS:
        raise UsageError(
            f"{printable(str(target))}: the format is not known by this ending",
            hint=f"Name a file that ends in {' or '.join(FORMATS)}.",
        )
    makers: dict[str, Callable[[Trace, int], Iterator[pa.RecordBatch]]]
    makers = {"ops": _ops, "steps": _steps, "ledger": _ledger}
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        rows = _write(makers[table](trace, rank), part, target.suffix.lower())
        part.replace(target)
    except OSError as error:
        raise UsageError(
            f"cannot write {printable(str(target))}: {error.strerror or error}",
            hint="Choose another file with -o FILE.",
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return rows


def _write(batches: Iterator[pa.RecordBatch], target: Path, ending: str) -> int:
    writer: Any = None
    rows = 0
    try:
        for batch in batches:
            writer = writer or _writer(target, batch.schema, ending)
            writer.write_batch(batch)
            rows += batch.num_rows
    finally:
        if writer is not None:
            writer.close()
    return rows


def _writer(target: Path, columns: pa.Schema, ending: str) -> Any:
    if ending == ".csv":
        import pyarrow.csv

        return pyarrow.csv.CSVWriter(str(target), columns)
    import pyarrow.parquet

    return pyarrow.parquet.ParquetWriter(str(target), columns, compression="zstd")


def _ops(trace: Trace, rank: int) -> Iterator[pa.RecordBatch]:
    sites = [*trace.sites(rank), _NO_SITE]
    for batch in trace.iter_ops(rank=rank):
        yield _ops_batch(batch, sites)
    if not trace.count_ops(rank):
        yield _ops_batch(trace.ops(rank=rank), sites)


def _ops_batch(batch: OpsBatch, sites: list[Site]) -> pa.RecordBatch:
    columns: dict[str, pa.Array] = {}
    rows = len(batch)
    columns["row"] = _numbers(np.arange(batch.start, batch.start + rows, dtype=np.uint64))
    for name in schema.OPS_DTYPES:
        values = batch.columns[name]
        if name in batch.names:
            columns[name] = utf8([batch.names[name][code] for code in values.tolist()])
        elif name == "site":
            at = np.where(values == schema.NO_SITE, len(sites) - 1, values).tolist()
            columns |= _places([sites[index] for index in at])
        else:
            columns[name] = _numbers(values)
    return pa.record_batch(list(columns.values()), names=list(columns))


def _steps(trace: Trace, rank: int) -> Iterator[pa.RecordBatch]:
    found = trace.steps(rank)
    sites = [*trace.sites(rank), _NO_SITE]
    columns: dict[str, pa.Array] = {}
    for name, values in found.items():
        if name == "kind":
            columns[name] = utf8([schema.STEP_KINDS[code] for code in values.tolist()])
        elif name == "site":
            at = np.where(values == schema.NO_SITE, len(sites) - 1, values).tolist()
            columns |= _places([sites[index] for index in at])
        else:
            columns[name] = _numbers(values)
    yield pa.record_batch(list(columns.values()), names=list(columns))


def _ledger(trace: Trace, rank: int) -> Iterator[pa.RecordBatch]:
    rows = trace.ledger(rank)
    columns: dict[str, pa.Array] = {}
    for field in schema.LEDGER_SCHEMA:
        if field.name in ("file", "line", "function"):
            continue
        values = [getattr(row, field.name) for row in rows]
        if field.name in ("source", "event", "detail"):
            columns[field.name] = utf8(values)
        else:
            columns[field.name] = _numbers(np.array(values, schema.LEDGER_DTYPES[field.name]))
    columns |= _places([row.site or _NO_SITE for row in rows])
    yield pa.record_batch(list(columns.values()), names=list(columns))


def _places(sites: list[Site]) -> dict[str, pa.Array]:
    return {
        "file": utf8([site.file for site in sites]),
        "line": _numbers(np.array([site.line for site in sites], np.int32)),
        "function": utf8([site.function for site in sites]),
        "module": utf8([site.module for site in sites]),
    }


def _numbers(values: Any) -> pa.Array:
    return fixed_width(np.ascontiguousarray(values), pa.from_numpy_dtype(values.dtype))
