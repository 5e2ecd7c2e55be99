"""Numbers that only one of two runs asks a tensor for: to print them now and then, for example.

A read changes nothing. What comes of the number shows in text, in a later operation or in a file,
and these are compared by themselves.
"""

from __future__ import annotations

import numpy as np

from samebits.check.diff.align import align_keys
from samebits.check.diff.correspondence import Correspondence
from samebits.check.diff.keys import row_keys
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column
from samebits.check.trace.schema import Flag

_READS = frozenset({"aten._local_scalar_dense"})
_MOST = 2000
"""So many rows that only one run has are looked at; what has more is no heartbeat."""


def differ_in_reads_alone(a: Trace, b: Trace) -> bool:
    """Whether all operations agree but for numbers that only one of the runs reads off a tensor.

    Args:
        a: Run A, of one rank.
        b: Run B.

    Raises:
        TraceError: A trace is damaged.
    """
    files = Correspondence()
    alignment = align_keys(
        row_keys(a, 0, lines=True, files=files.a), row_keys(b, 0, lines=True, files=files.b)
    )
    if not alignment.blocks.size or not 0 < sum(alignment.unmatched) <= _MOST:
        return False
    matched = [np.zeros(rows, bool) for rows in alignment.rows]
    outputs, flags = ([_column(trace, name) for trace in (a, b)] for name in ("outputs", "flags"))
    for of_a, of_b, length in alignment.blocks:
        spans = slice(of_a, of_a + length), slice(of_b, of_b + length)
        for rows, span in zip(matched, spans, strict=True):
            rows[span] = True
        hidden = (flags[0][spans[0]] | flags[1][spans[1]]) & np.uint16(Flag.SCRATCH | Flag.OPAQUE)
        if ((outputs[0][spans[0]] != outputs[1][spans[1]]) & (hidden == 0)).any():
            return False
    return all(
        trace.row(int(row)).op.removesuffix(".default") in _READS
        for trace, rows in zip((a, b), matched, strict=True)
        for row in np.flatnonzero(~rows)
    )


def _column(trace: Trace, name: str) -> Column:
    return np.concatenate([batch.columns[name] for batch in trace.iter_ops((name,))])
