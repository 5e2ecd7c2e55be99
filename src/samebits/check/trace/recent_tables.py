"""Small tables that were read last: comparing two short processes asks for each some ten times.

A run may have ten thousand processes, which are looked at one after the other: few are kept.
"""

from __future__ import annotations

from collections.abc import Hashable

import pyarrow as pa


class RecentTables:
    """Keeps the batches of a few tables, and lets go of those that came first.

    Args:
        most: How many tables are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._tables: dict[Hashable, list[pa.RecordBatch]] = {}

    def get(self, table: Hashable) -> list[pa.RecordBatch] | None:
        """Its batches; None where it is not kept."""
        return self._tables.get(table)

    def keep(self, table: Hashable, batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """Keep its batches, and return them."""
        while len(self._tables) >= self._most:
            self._tables.pop(next(iter(self._tables)), None)
        self._tables[table] = batches
        return batches
