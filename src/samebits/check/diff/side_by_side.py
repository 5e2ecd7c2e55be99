"""Two runs' rows, number by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column, OpsBatch

_DIGESTS = ("outputs", "inputs", "args", "data", "flags")


def side_by_side(
    a: Trace, b: Trace, rank: int, rows: int
) -> Iterator[tuple[int, Mapping[str, Column], Mapping[str, Column]]]:
    """Stretches of the first `rows` rows, however each run's rows were cut into batches.

    Yields:
        The number of the first row of a stretch, and the digests and flags of it in A and in B.
    """
    runs = [trace.iter_ops(_DIGESTS, rank) for trace in (a, b)]
    current: list[OpsBatch | None] = [None, None]
    position = 0
    while position < rows:
        for side, run in enumerate(runs):
            batch = current[side]
            while batch is None or batch.start + len(batch) <= position:
                batch = current[side] = next(run)
        batches = [batch for batch in current if batch is not None]
        end = min(rows, *(batch.start + len(batch) for batch in batches))
        of_a, of_b = (
            {
                name: values[position - batch.start : end - batch.start]
                for name, values in batch.columns.items()
            }
            for batch in batches
        )
        yield position, of_a, of_b
        position = end
