"""One ledger out of what the processes of a run counted, with what only the end can tell."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from samebits.check.record.ledger.process_table import ProcessTable
from samebits.check.record.opened_files import file_digest
from samebits.check.record.sources import library_folders
from samebits.check.trace.ledger import write_ledger
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.rows import LedgerRow
from samebits.check.trace.schema import LEDGER_FILE, for_rank
from samebits.core import _native
from samebits.core.names import printable

_DIGEST_BUDGET = 256 * 2**20  # bytes of files that only children read
_GENERATORS = ("python", "numpy", "torch-cpu")
_STARTERS = (
    *("threading.", "concurrent.futures.", "_thread.", "multiprocessing.", "subprocess.", "os."),
    *("asyncio.", "torch.multiprocessing."),
)
"""Modules that start threads and processes for whoever calls them."""


def merged(
    tables: Sequence[ProcessTable],
    inputs: Iterable[Mapping[str, Any]],
    changed: Collection[str] = (),
    *,
    has_inputs: bool = True,
) -> tuple[list[LedgerRow], list[str]]:
    """The rows of all processes, and notes for the manifest.

    Args:
        tables: Of the processes, in the order of their numbers.
        inputs: The manifest's `inputs`.
        changed: Files that were changed after they had been read, or may have been.
        has_inputs: Whether `inputs` are all that the first process read and did not write itself.
    """
    digests = _FileDigests({entry["path"]: entry for entry in inputs}, changed, has_inputs)
    rows: list[LedgerRow] = []
    for table in tables:
        kept = _with_worker(table)
        start, numbers = len(rows), {}
        for number, row in enumerate(kept):
            complete = digests.completed(row) if row.source == "file" else row
            if complete is not None:
                numbers[number] = len(rows)
                rows.append(complete)
        rows[start:] = [
            replace(row, origin=numbers.get(row.origin, -1)) if row.origin >= 0 else row
            for row in rows[start:]
        ]
    return rows, _notes(tables, rows)


def _with_worker(table: ProcessTable) -> list[LedgerRow]:
    """The rows of a process; those of a loader's worker with one that sums up its seeds."""
    rows = list(table.rows)
    if table.worker < 0:
        return rows
    seeds = [row for row in rows if row.event == "seed" and row.source in _GENERATORS]
    if not seeds:
        return rows
    digest = 0
    for row in seeds:
        digest = _native.combine(digest, row.digest)
    first = seeds[0]
    seeded = min(row.seeded for row in seeds)
    summary = LedgerRow(
        source="worker",
        event="start",
        detail="seeds of " + ", ".join(dict.fromkeys(row.source for row in seeds)),
        site=first.site,
        process=table.process,
        worker=table.worker,
        first_row=first.first_row,
        first_step=first.first_step,
        seeded=seeded,
        digest=digest,
    )
    return [*rows, summary]


class _FileDigests:
    """Completes rows of files with their size and digest."""

    def __init__(
        self,
        facts: Mapping[str, Mapping[str, Any]],
        changed: Collection[str],
        has_inputs: bool,
    ) -> None:
        self._facts = facts
        self._changed = frozenset(changed)
        self._has_inputs = has_inputs
        self._own: dict[str, tuple[int, int] | None] = {}
        self._budget = _DIGEST_BUDGET
        self._libraries = library_folders()

    def completed(self, row: LedgerRow) -> LedgerRow | None:
        """The row with size and digest; None for what is no input of the script."""
        entry = self._facts.get(row.detail)
        if entry is not None:
            known: tuple[int, int] | None = (int(entry["size"]), _short(str(entry["sha256"])))
        elif row.detail in self._changed:
            known = 0, 0  # what was in it when it was read is gone
        elif row.process == 0 and self._has_inputs:
            return None  # the process's own list of inputs leaves out what it wrote itself
        else:
            if row.detail not in self._own:
                self._own[row.detail] = self._measured(row.detail)
            known = self._own[row.detail]
        if known is None:
            return None
        return replace(row, amount=known[0], digest=known[1])

    def _measured(self, path: str) -> tuple[int, int] | None:
        real = os.path.realpath(path)
        if real.startswith(self._libraries) or not os.path.isfile(real):
            return None
        size = os.path.getsize(real)
        self._budget -= size
        return size, _short(file_digest(real, "sha256")) if self._budget >= 0 else 0


def _short(digest: str) -> int:
    """The first eight bytes of a digest in hexadecimal; 0 for a text that is none."""
    try:
        return int(digest[:16], 16)
    except ValueError:
        return 0


def _notes(tables: Sequence[ProcessTable], rows: Sequence[LedgerRow]) -> list[str]:
    """What a person should know: what was not recorded, and who was asked over the network."""
    notes = []
    for row in rows:
        if row.source == "process" and _asked_by_script(row):
            program, _, _ = row.detail.partition(" by ")
            if program != "fork" and not program.startswith("python"):  # they record themselves
                times = "" if row.calls == 1 else f" {row.calls} times"
                notes.append(
                    f"{printable(program, 80)} was started{times}{_at([row])}: its operations are "
                    "not recorded"
                )
    for row in rows:
        if row.source == "network":
            notes.append(f"connected to {printable(row.detail, 80)}{_at([row])}")
    dropped = sum(table.dropped for table in tables)
    if dropped:
        notes.append(f"the ledger is full: {dropped} further calls are not in it")
    return notes


def _asked_by_script(row: LedgerRow) -> bool:
    """Whether the script itself started something, and no library behind its back."""
    by = row.detail.rpartition(" by ")[2] if row.source == "process" else row.detail
    return row.site is not None and by.startswith(_STARTERS)


def _at(rows: Sequence[LedgerRow]) -> str:
    places = _places(rows)
    return f" at {places}" if places else ""


def _places(rows: Sequence[LedgerRow]) -> str:
    counted = Counter(
        f"{printable(Path(row.site.file).name, 60)}:{row.site.line}"
        for row in rows
        if row.site is not None
    )
    names = [place for place, _ in counted.most_common(3)]
    more = len(counted) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def add_ledger(
    folder: Path,
    manifest: Manifest,
    tables: Sequence[ProcessTable],
    changed: Collection[str] | None = None,
) -> Manifest:
    """Write ledger.arrow of a run that has ended.

    Args:
        folder: The run folder, whose other tables are closed.
        manifest: As it is known so far.
        tables: Of the run's processes, in the order of their numbers; where there is none, nothing
            is written.
        changed: Files that the run has changed, where the manifest has no `inputs`.

    Returns:
        The manifest with notes of what was not recorded and, if it is complete, the ledger's seal.
        It is for the caller to write.

    Raises:
        TraceError: The ledger cannot be written.
    """
    if not tables:
        return manifest
    found = manifest.extra.get("changed", {}).get("found", ()) if changed is None else changed
    rows, notes = merged(tables, manifest.inputs, found, has_inputs=changed is None)
    claim = write_ledger(folder, rows, rank=manifest.rank)
    changes: dict[str, Any] = {"notes": [*manifest.notes, *notes]}
    if manifest.complete:
        name = for_rank(LEDGER_FILE, manifest.rank)
        changes["seals"] = {**manifest.seals, name: claim}
    return manifest.replaced(changes)
