"""What one process of a run does while it runs: its rows, in the order of their writing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from samebits.check.trace import arrow, schema, seal
from samebits.check.trace.growing_seals import GrowingSeals
from samebits.check.trace.growing_table import GrowingTable
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.rows import Column, NameTable, OpsBatch, Site
from samebits.core.names import printable
from samebits.errors import TraceError

OPS_COLUMNS = ("step", "phase", "op", "site", "outputs", "flags")
"""Columns of ops.arrow that are read."""

StepRows = Sequence[Mapping[str, Any]]
"""Rows of steps.arrow: column → value, `kind` as its name."""


class GrowingProcess:
    """Follows the folder of a process, whether it is finished or under way.

    Args:
        folder: The folder; it may be empty still.

    Attributes:
        folder: The same.
        manifest: Facts about the process; None as long as there are none.
        sites: Source sites so far.
        has_ledger: Whether the ledger has been written, which happens at the end.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Manifest | None = None
        self.sites: list[Site] = []
        self.has_ledger = False
        self._seals = GrowingSeals(folder / schema.SEALS_FILE)
        self._waiting: deque[tuple[str, seal.Frame]] = deque()
        self._tables = {
            name: GrowingTable(folder / name, columns, wanted)
            for name, columns, wanted in (
                (schema.SITES_FILE, schema.SITES_SCHEMA, schema.SITES_SCHEMA.names),
                (schema.OPS_FILE, schema.OPS_SCHEMA, OPS_COLUMNS),
                (schema.STEPS_FILE, schema.STEPS_SCHEMA, schema.STEPS_SCHEMA.names),
            )
        }
        self._names = {
            "phase": NameTable(schema.PHASES),
            "op": NameTable(),
            "kind": NameTable(schema.STEP_KINDS),
        }
        self._rows = 0
        self._manifest_seen: tuple[int, int] = (0, 0)

    @property
    def is_behind(self) -> bool:
        """Whether rows that have been written are still to be read."""
        return bool(self._waiting)

    def age(self, now: float) -> float:
        """Seconds since something was written; `now` counts as `time.time` does."""
        return self._seals.age(now)

    def new(self, most: int) -> Iterator[OpsBatch | StepRows]:
        """What has been written since the last look: rows of operations, and of steps.

        Args:
            most: Batches that are read at the most; `is_behind` says whether that was not all.

        Raises:
            TraceError: The folder is damaged.
        """
        self.look_at_manifest()
        if not self._waiting:
            self._waiting.extend(self._seals.new())
        for _ in range(min(most, len(self._waiting))):
            name, frame = self._waiting.popleft()
            self.has_ledger |= name == schema.LEDGER_FILE
            table = self._tables.get(name)
            batch = None if table is None else table.read(frame)
            if batch is None:
                continue
            if name == schema.SITES_FILE:
                columns = (column.to_pylist() for column in batch.columns)
                self.sites.extend(map(Site._make, zip(*columns, strict=True)))
            elif name == schema.OPS_FILE:
                yield self._operations(batch)
            else:
                yield self._steps(batch)

    def close(self) -> None:
        """Close the files."""
        for table in self._tables.values():
            table.close()

    def look_at_manifest(self) -> None:
        """Read the manifest, where there is one and it has changed.

        Raises:
            TraceError: It is damaged.
        """
        path = self.folder / schema.MANIFEST_FILE
        try:
            facts = path.stat()
        except OSError:
            return
        # It is replaced as a whole: another file, or another time.
        seen = (facts.st_ino, facts.st_mtime_ns)
        if seen != self._manifest_seen:
            self.manifest = Manifest.read(path)
            self._manifest_seen = seen

    def _operations(self, batch: pa.RecordBatch) -> OpsBatch:
        where = printable(str(self.folder / schema.OPS_FILE))
        read: dict[str, Column] = {}
        for name in OPS_COLUMNS:
            dtype = schema.OPS_DTYPES[name]
            array = batch.column(name)
            table = self._names.get(name)
            read[name] = (
                arrow.to_numpy(array, dtype) if table is None else table.codes(array, dtype, where)
            )
        site = read["site"]
        if ((site >= len(self.sites)) & (site != schema.NO_SITE)).any():
            raise TraceError(f"{where}: a row names a site that is not there", hint=seal.DAMAGED)
        if len(self._names["phase"].names) > len(schema.PHASES):
            raise TraceError(f"{where} names a phase that is none", hint=seal.DAMAGED)
        names = {name: self._names[name].names for name in ("phase", "op")}
        start, self._rows = self._rows, self._rows + batch.num_rows
        return OpsBatch(start, read, names)

    def _steps(self, batch: pa.RecordBatch) -> StepRows:
        columns = {name: batch.column(name).to_pylist() for name in schema.STEPS_SCHEMA.names}
        rows = zip(*columns.values(), strict=True)
        return [dict(zip(columns, values, strict=True)) for values in rows]
