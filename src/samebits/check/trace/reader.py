"""Reads run folders: checked, column by column, batch by batch; nothing from a file is executed."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samebits.check.trace import arrow, ledger, received, schema, seal
from samebits.check.trace.batches import iter_batches
from samebits.check.trace.fetched_folders import folder_of, place_of
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.named_folders import entries_of_run
from samebits.check.trace.process_folders import owner_of, process_folder
from samebits.check.trace.recent_tables import RecentTables
from samebits.check.trace.rows import Column, LedgerRow, NameTable, OpRow, OpsBatch, Site, op_row
from samebits.check.trace.vouched_frames import Frames, frames_of
from samebits.core.files import read_regular
from samebits.core.names import printable
from samebits.errors import TraceError

__all__ = ["LedgerRow", "OpRow", "OpsBatch", "Site", "Trace"]

MAX_OUTPUT_BYTES = 2**30
"""A larger output.log is not read; the writer stops long before."""

MAX_OBJECT_ROWS = 2**20
"""Source sites, or entries of a ledger: each becomes an object. More are not read."""

MAX_MESSAGES = 2**22
"""Messages of queues and pipes; those after the first so many are not read."""

_SMALL_ROWS = 2_048
"""A table of so few rows is read once for all that is asked of it."""

_READ_WHOLE = (schema.SITES_FILE, schema.LEDGER_FILE)


class Trace:
    """A recorded run, opened for reading. Make one with `Trace.open`.

    Attributes:
        folder: The run folder.
        manifest: Facts about the run (of rank 0).
        cut: True when the run was killed: the trace ends at its last flush.
        ranks: Ranks that the folder holds, ascending.
        has_threads: Whether other threads of its process have computed.
    """

    def __init__(
        self, folder: Path, manifests: Mapping[int, Manifest], seals: Mapping[int, Frames]
    ) -> None:
        self.folder = folder
        self.manifest = manifests[0]
        self.ranks = tuple(sorted(manifests))
        self.cut = not all(manifest.complete for manifest in manifests.values())
        self._manifests = manifests
        self._seals = seals
        self._sites: dict[int, list[Site]] = {}
        self._owner: Trace | None = None  # of a thread: its process
        self._recorded: set[str] | None = None  # names of processes and threads
        self.has_threads = self._has_threads_of("0")

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Trace:
        """Open a run folder and check its manifests and seals; rows are checked when read.

        Args:
            folder: Its path, or a URL that was `fetched`.

        Raises:
            TraceError: No run folder, of another schema version, damaged, or incomplete although
                its manifest says otherwise.
        """
        path = folder_of(folder)
        names = entries_of_run(path)
        others = map(re.compile(r"manifest\.([1-9]\d{0,8})\.json").fullmatch, names)
        manifests, seals = {}, {}
        for rank in (0, *(int(found[1]) for found in others if found)):
            manifests[rank] = Manifest.read(path / schema.for_rank(schema.MANIFEST_FILE, rank))
            seals[rank] = frames_of(path, rank, manifests[rank], names)
        return cls(path, manifests, seals)

    @property
    def place(self) -> str:
        """The run folder as a person calls it: a path, or the URL that it was fetched from."""
        return place_of(self.folder)

    def process(self, name: str) -> Trace | None:
        """What a process or thread recorded that the run has started; None where it is nothing.

        Args:
            name: What the manifest calls it.

        Raises:
            TraceError: Its folder is damaged, or missing although the manifest names it.
        """
        if self._recorded is None:  # once: there may be ten thousand of them
            self._recorded = {p["name"] for p in self.manifest.further if p["recorded"]}
        if name not in self._recorded:
            return None
        try:
            found = Trace.open(process_folder(self.folder, name))
        except ValueError as error:
            raise TraceError(f"{printable(str(self.folder))}: {error}", hint=seal.DAMAGED) from None
        owner = owner_of(name)
        if owner != name:
            found._owner = self if owner == "0" else self.process(owner)
        found.has_threads = owner != name or self._has_threads_of(name)
        return found

    def _has_threads_of(self, process: str) -> bool:
        return any(owner_of(thread["name"]) == process for thread in self.manifest.threads)

    def rank_manifest(self, rank: int) -> Manifest:
        """The manifest of the process of that rank.

        Raises:
            TraceError: The folder holds no such rank.
        """
        if rank not in self._manifests:
            raise TraceError(f"{printable(str(self.folder))} holds no rank {rank}")
        return self._manifests[rank]

    def count_ops(self, rank: int = 0) -> int:
        """Rows of ops.arrow, without reading them."""
        with self._sealed(schema.OPS_FILE, rank) as file:
            return file.rows

    def iter_ops(
        self, columns: Collection[str] = tuple(schema.OPS_DTYPES), rank: int = 0
    ) -> Iterator[OpsBatch]:
        """The rows of ops.arrow, a batch at a time, in the order in which they ran.

        Args:
            columns: Columns to read; the others are not even decompressed.
            rank: Whose operations.

        Raises:
            TraceError: The file is damaged, or a code or a site points nowhere.
            ValueError: A column that does not exist.
        """
        unknown = set(columns) - schema.OPS_DTYPES.keys()
        if unknown or not columns:
            raise ValueError(f"no such column: {', '.join(sorted(unknown)) or '(none given)'}")
        sites = len(self.sites(rank)) if "site" in columns else 0
        tables = {
            name: NameTable(schema.PHASES if name == "phase" else ())
            for name in schema.CODED_OPS_COLUMNS
            if name in columns
        }
        names = {name: table.names for name, table in tables.items()}
        where = self._where(schema.OPS_FILE, rank)
        start = 0
        for batch in self._batches(schema.OPS_FILE, schema.OPS_SCHEMA, columns, rank):
            read: dict[str, Column] = {}
            for name in columns:
                array = batch.column(name)
                if name in tables:
                    read[name] = tables[name].codes(array, schema.OPS_DTYPES[name], where)
                else:
                    read[name] = arrow.to_numpy(array, schema.OPS_DTYPES[name])
            if "site" in read:
                wrong = (read["site"] >= sites) & (read["site"] != schema.NO_SITE)
                if wrong.any():
                    row = start + int(wrong.argmax())
                    raise TraceError(
                        f"{where}: row {row} names a site that is not there", hint=seal.DAMAGED
                    )
            if "phase" in tables and len(tables["phase"].names) > len(schema.PHASES):
                found = printable(tables["phase"].names[len(schema.PHASES)], 40)
                raise TraceError(f"{where}: '{found}' is no phase", hint=seal.DAMAGED)
            yield OpsBatch(start, read, names)
            start += batch.num_rows

    def ops(self, columns: Collection[str] = tuple(schema.OPS_DTYPES), rank: int = 0) -> OpsBatch:
        """All rows of ops.arrow at once; see `iter_ops`.

        Returns:
            One batch that starts at 0. Columns of 10 million rows take 20 to 80 MB each.
        """
        wanted = tuple(columns)
        batches = list(self.iter_ops(wanted, rank))
        names: Mapping[str, Sequence[str]] = (
            batches[0].names
            if batches
            else {
                name: list(schema.PHASES) if name == "phase" else []
                for name in schema.CODED_OPS_COLUMNS
                if name in wanted
            }
        )
        joined = {
            name: np.concatenate(
                [np.empty(0, schema.OPS_DTYPES[name]), *(b.columns[name] for b in batches)]
            )
            for name in wanted
        }
        return OpsBatch(0, joined, names)

    def row(self, index: int, rank: int = 0) -> OpRow:
        """One row of ops.arrow with its names.

        Raises:
            IndexError: There is no such row.
            TraceError: The file is damaged.
        """
        return self.rows([index], rank)[0]

    def rows(self, indices: Iterable[int], rank: int = 0) -> list[OpRow]:
        """Some rows of ops.arrow with their names, in the order asked for; reads the file once."""
        wanted = list(indices)
        if any(index < 0 for index in wanted):
            raise IndexError("rows are counted from 0")
        found: dict[int, OpRow] = {}
        sites = self.sites(rank)
        for batch in self.iter_ops(rank=rank):
            end = batch.start + len(batch)
            for index in wanted:
                if batch.start <= index < end:
                    found[index] = op_row(batch, index, sites)
            if all(index < end for index in wanted):
                break
        for index in wanted:
            if index not in found:
                raise IndexError(f"{self.folder} has no row {index}")
        return [found[index] for index in wanted]

    def steps(self, rank: int = 0) -> dict[str, Column]:
        """The rows of steps.arrow.

        Returns:
            Column → values, shape (n,), dtypes of `schema.STEPS_DTYPES`; `kind` holds indices
            of `schema.STEP_KINDS`.

        Raises:
            TraceError: The file is damaged, or a kind or a site points nowhere.
        """
        where = self._where(schema.STEPS_FILE, rank)
        kinds = NameTable(schema.STEP_KINDS)
        parts: dict[str, list[Column]] = {
            name: [np.empty(0, dtype)] for name, dtype in schema.STEPS_DTYPES.items()
        }
        for batch in self._batches(schema.STEPS_FILE, schema.STEPS_SCHEMA, parts, rank):
            for name, dtype in schema.STEPS_DTYPES.items():
                array = batch.column(name)
                values = (
                    kinds.codes(array, dtype, where)
                    if name == "kind"
                    else arrow.to_numpy(array, dtype)
                )
                parts[name].append(values)
        steps = {name: np.concatenate(values) for name, values in parts.items()}
        sites = len(self.sites(rank))
        if len(kinds.names) > len(schema.STEP_KINDS):
            raise TraceError(f"{where}: a row is neither a step nor the end", hint=seal.DAMAGED)
        if ((steps["site"] >= sites) & (steps["site"] != schema.NO_SITE)).any():
            raise TraceError(f"{where}: a step names a site that is not there", hint=seal.DAMAGED)
        return steps

    def count_steps(self, rank: int = 0) -> int:
        """Optimizer steps in steps.arrow, which may have a row for the end as well.

        Raises:
            TraceError: The file is damaged.
        """
        where = self._where(schema.STEPS_FILE, rank)
        kinds = NameTable(schema.STEP_KINDS)
        code = schema.STEP_KINDS.index("step")
        return sum(
            int(
                (
                    kinds.codes(batch.column("kind"), schema.STEPS_DTYPES["kind"], where) == code
                ).sum()
            )
            for batch in self._batches(schema.STEPS_FILE, schema.STEPS_SCHEMA, ("kind",), rank)
        )

    def sites(self, rank: int = 0) -> list[Site]:
        """The source sites; a row's `site` is an index into them.

        Raises:
            TraceError: The file is damaged.
        """
        if rank not in self._sites:
            found: list[Site] = []
            names = tuple(schema.SITES_SCHEMA.names)
            for batch in self._batches(schema.SITES_FILE, schema.SITES_SCHEMA, names, rank):
                found.extend(
                    map(Site._make, zip(*(c.to_pylist() for c in batch.columns), strict=True))
                )
            self._sites[rank] = found
        return self._sites[rank]

    def iter_received(self, rank: int = 0) -> Iterator[OpsBatch]:
        """What was seen of the results of collectives: the rows of received.arrow, if any.

        Returns:
            Batches of the columns of `schema.RECEIVED_DTYPES`; codes of `group` index `names`.

        Raises:
            TraceError: The file is damaged.
        """
        if self._frames(schema.RECEIVED_FILE, rank):
            names = tuple(schema.RECEIVED_DTYPES)
            batches = self._batches(schema.RECEIVED_FILE, schema.RECEIVED_SCHEMA, names, rank)
            yield from received.iter_rows(batches, self._where(schema.RECEIVED_FILE, rank))

    def piped(self, rank: int = 0) -> dict[str, npt.NDArray[Any]]:
        """What was sent and received through pipes: the rows of piped.arrow.

        Returns:
            The columns of `schema.PIPED_DTYPES`, shape (n,) each, of the first `MAX_MESSAGES`;
            empty without any message.

        Raises:
            TraceError: The file is damaged.
        """
        names = tuple(schema.PIPED_DTYPES)
        batches: list[pa.RecordBatch] = []
        if self._frames(schema.PIPED_FILE, rank):
            rows = 0
            for batch in self._batches(schema.PIPED_FILE, schema.PIPED_SCHEMA, names, rank):
                rows += batch.num_rows
                if rows > MAX_MESSAGES:
                    break
                batches.append(batch)
        return {
            name: np.concatenate(
                [np.empty(0, dtype), *(arrow.to_numpy(b.column(name), dtype) for b in batches)]
            )
            for name, dtype in schema.PIPED_DTYPES.items()
        }

    def ledger(self, rank: int = 0) -> list[LedgerRow]:
        """What the run drew, listed and read: the rows of ledger.arrow.

        The rows of the recorded process come first, then those of its children; within a process
        they stand in the order in which each happened first. A run without a ledger has none. A
        thread has that of its process; where among its own rows something happened is not known.

        Raises:
            TraceError: The file is damaged.
        """
        if self._owner is not None:
            return [replace(row, first_row=0, first_step=0) for row in self._owner.ledger()]
        name = schema.for_rank(schema.LEDGER_FILE, rank)
        if not self._seals[rank].get(name):
            return []
        wanted = tuple(schema.LEDGER_SCHEMA.names)
        batches = self._batches(schema.LEDGER_FILE, schema.LEDGER_SCHEMA, wanted, rank)
        return ledger.read_rows(batches, self._where(schema.LEDGER_FILE, rank))

    def output(self, rank: int = 0) -> str:
        """What the script printed, as far as it was kept.

        Raises:
            TraceError: output.log is missing, or is not what the run wrote.
        """
        path = self.folder / schema.for_rank(schema.OUTPUT_FILE, rank)
        stdout = self.rank_manifest(rank).stdout
        content = read_regular(path, MAX_OUTPUT_BYTES)
        if self.rank_manifest(rank).complete and not stdout["truncated"]:
            digest = blake2b(content, digest_size=32).hexdigest()
            if stdout["blake2b"] not in ("", digest):
                raise TraceError(
                    f"{printable(str(path))} is not what the run printed", hint=seal.DAMAGED
                )
        return content.decode("utf-8", "replace")

    def _where(self, name: str, rank: int) -> str:
        return printable(str(self.folder / schema.for_rank(name, rank)))

    def _sealed(self, name: str, rank: int) -> seal.SealedFile:
        manifest = self.rank_manifest(rank)
        path = self.folder / schema.for_rank(name, rank)
        return seal.SealedFile(path, self._frames(name, rank), allow_cut=not manifest.complete)

    def _frames(self, name: str, rank: int) -> Sequence[seal.Frame]:
        return self._seals[rank].get(schema.for_rank(name, rank), [])

    def _batches(
        self, name: str, columns: pa.Schema, wanted: Collection[str], rank: int
    ) -> Iterator[pa.RecordBatch]:
        """Validated batches of a file, holding at least the wanted columns."""
        known = _recent.get((self, name, rank))
        if known is None:
            most = MAX_OBJECT_ROWS if name in _READ_WHOLE else None
            is_small = sum(f.rows for f in self._frames(name, rank)) <= _SMALL_ROWS
            found = iter_batches(
                lambda: self._sealed(name, rank),
                self._where(name, rank),
                columns,
                columns.names if is_small else wanted,
                most=most,
            )
            if not is_small:
                yield from found
                return
            known = _recent.keep((self, name, rank), list(found))
        yield from known


_recent = RecentTables(most=32)
