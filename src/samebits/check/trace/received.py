"""received.arrow: what each process has seen of results that all ranks of a group should share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from samebits.check.trace import arrow, schema
from samebits.check.trace.rows import NameTable, OpsBatch


def iter_rows(batches: Iterable[pa.RecordBatch], where: str) -> Iterator[OpsBatch]:
    """The rows of validated batches of received.arrow.

    Args:
        batches: Batches with the columns of `schema.RECEIVED_SCHEMA`.
        where: The file, for messages.

    Raises:
        TraceError: A group's name is null, or there are more groups than codes.
    """
    groups = NameTable()
    start = 0
    for batch in batches:
        columns = {
            name: groups.codes(batch.column(name), dtype, where)
            if name == "group"
            else arrow.to_numpy(batch.column(name), dtype)
            for name, dtype in schema.RECEIVED_DTYPES.items()
        }
        yield OpsBatch(start, columns, {"group": groups.names})
        start += batch.num_rows
