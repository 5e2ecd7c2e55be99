"""What two runs that diverge have noted up to there: the ledger's entries, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samebits.check.diff.correspondence import Correspondence, RunFiles, correspondence
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution.position import last_row
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.together import (
    changed_by_both,
    changed_paths,
    found_paths,
)
from samebits.core.source.files import read_source
from samebits.errors import TraceError

_NO_FLAGS = Flag(0)
_ALLOCATING = re.compile(
    rb"\b(?:np|numpy)\s*\.\s*(?:empty|empty_like|ndarray)\s*\("
    rb"|\bfrom\s+numpy\s+import\b[^\n]*\b(?:empty|ndarray)|\b(?:malloc|create_string_buffer)\s*\("
)
_OWN_WORK = (
    *("asyncio.", "concurrent.", "http.", "logging.", "multiprocessing.", "queue.", "socket."),
    *("ssl.", "subprocess.", "tempfile.", "threading.", "torch.multiprocessing."),
    *("torch.utils.data.", "urllib."),
)
"""Libraries that read clocks and draw numbers which never come near a result."""
GENERATORS = ("python", "numpy", "numpy-generator", "torch-cpu", "torch-cuda", "torch-generator")
ENTROPY = ("urandom", "uuid", "secrets", "pid")


@dataclass(frozen=True, kw_only=True)
class LedgerPair:
    """One entry of the ledger, as each run has it.

    Attributes:
        row: The entry of run A, or of run B where A has none.
        other: The entry of run B where A has one too.
        only_second: Whether run A has none.
        origin: Of a seed, the entry that its value came from, where that is known.
    """

    row: LedgerRow
    other: LedgerRow | None = None
    origin: LedgerRow | None = None
    only_second: bool = False

    @property
    def differs(self) -> bool:
        """Whether the runs saw different values here, or only one came here."""
        if self.other is None:
            return True
        return self.row.digest != self.other.digest

    @property
    def reordered(self) -> bool:
        """Whether the runs saw the same things in another order."""
        return (
            self.other is not None
            and self.differs
            and self.row.order_free != 0
            and self.row.order_free == self.other.order_free
        )

    @property
    def unseeded(self) -> bool:
        """Whether a generator was used that nobody had seeded."""
        return self.row.source in GENERATORS and self.row.seeded == 0

    @property
    def internal(self) -> bool:
        """Whether a library needed it for its own work: a queue's deadline, a temporary name."""
        row = self.row
        if row.site is None:
            return True
        if row.source in ("thread", "process"):
            return "torch.utils.data." in row.detail  # a pool's threads are what was asked for
        own = row.detail.startswith(_OWN_WORK)
        return own and row.event != "seed" and not row.source.startswith(("torch", "worker"))

    @property
    def in_worker(self) -> bool:
        """Whether it happened in a worker of a DataLoader."""
        return self.row.worker >= 0

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line, where a line of the user's code is known."""
        site = self.row.site
        return None if site is None or site.line <= 0 else (site.file, site.line)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that is known where two runs diverge, before any further run is made.

    Attributes:
        found: Where they diverge.
        flags: Flags of the operation that diverges; none where it is no operation.
        entries: What the ledgers hold up to there, in the order in which it happened.
        hash_seed_fixed: Whether PYTHONHASHSEED was set from outside.
        allocates: Whether the script names a function that hands out memory as it is.
        rewritten: Files that both runs changed: the second may have found what the first had left.
        found_again: Whether the second run was seen to look at one of them before it changed it.
    """

    found: Divergence
    flags: Flag = _NO_FLAGS
    entries: Sequence[LedgerPair] = ()
    hash_seed_fixed: bool = False
    rewritten: Sequence[str] = ()
    found_again: bool = False
    allocates: bool = False

    def of(self, *sources: str) -> list[LedgerPair]:
        """The entries of some sources, in order."""
        return [entry for entry in self.entries if entry.row.source in sources]

    @property
    def _of_generators(self) -> Iterator[LedgerPair]:
        """Entries whose generators the operation that diverges may have drawn from.

        What a child process draws and seeds reaches no generator of the script's own process.
        """
        found = self.found
        own = found.random and found.kind == "output" and not found.data and not found.process
        return (entry for entry in self.entries if not (own and entry.row.process))

    @property
    def unseeded(self) -> list[LedgerPair]:
        """Draws from, and constructions of, generators that nobody had seeded."""
        return [entry for entry in self._of_generators if entry.unseeded and not entry.internal]

    @property
    def torch_is_seeded(self) -> bool:
        """Whether all that was drawn from torch's generators so far came after a seed."""
        drawn = [
            entry
            for entry in self.of("torch-cpu", "torch-cuda", "torch-generator")
            if entry.row.event == "draw" and not entry.in_worker
        ]
        return bool(drawn) and not any(entry.unseeded for entry in drawn)

    @property
    def other_seeds(self) -> list[LedgerPair]:
        """Calls that seeded a generator with another number in each run."""
        return [
            entry
            for entry in self._of_generators
            if (entry.row.event == "seed" and (entry.differs or entry.row.seeded == 0))
            or (entry.row.event == "construct" and entry.differs and entry.row.seeded == 1)
        ]


def gather(situation: Situation) -> Evidence:
    """What two runs have noted up to the place where they diverge.

    Raises:
        TraceError: A run folder is damaged.
    """
    closer = situation.closer
    flags = Flag(0)
    for trace, row in zip(situation.closer_traces, closer.rows, strict=True):
        if row is not None and closer.kind in ("output", "inserted"):
            flags |= trace.row(row).flags
    a, b = situation.traces
    variables = a.manifest.environment.get("variables", {})
    return Evidence(
        found=closer,
        flags=flags,
        entries=side_by_side(situation.found, _ledger(a), _ledger(b), correspondence(a, b)),
        hash_seed_fixed=str(variables.get("PYTHONHASHSEED", "random")) != "random",
        rewritten=changed_by_both(a, b),
        found_again=_found_again(a, b),
        allocates=any(map(_allocates, [*a.manifest.code, a.manifest.script])),
    )


def _found_again(a: Trace, b: Trace) -> bool:
    """Of other processes it is not known what they read: whatever they change, they may have."""
    if a.manifest.processes or b.manifest.processes:
        return True
    return not found_paths(b).isdisjoint(changed_paths(a))


def _ledger(trace: Trace) -> list[LedgerRow]:
    try:
        return list(trace.ledger())
    except TraceError:
        return []  # the rows decide what differs; without a ledger there is less to go by


def reads_clock(trace: Trace) -> bool:
    """Whether the script itself asks what time it is."""
    return any(
        row.source == "clock" and not _is_import(row) and not LedgerPair(row=row).internal
        for row in _ledger(trace)
    )


def _is_import(row: LedgerRow) -> bool:
    """Whether a library did it on its own behalf while it was imported."""
    of_library = row.detail.startswith("import ") or row.detail.endswith(".__getattr__")
    return of_library and row.event != "seed"


def _until(found: Divergence, rows: Iterable[LedgerRow]) -> list[LedgerRow]:
    """The entries that were made before the runs diverged, imports aside."""
    rows = [row for row in rows if not _is_import(row)]
    if found.kind in ("saved", "printed", "exit"):
        return rows
    if found.kind == "step":
        return [row for row in rows if row.first_step <= found.step]
    last = last_row(found)
    return [
        row
        for row in rows
        if row.first_step < found.step or (row.first_step == found.step and row.first_row <= last)
    ]


def _allocates(file: Mapping[str, Any]) -> bool:
    """Whether a source file, as it is now, names numpy.empty or the like."""
    text = read_source(str(file.get("path")))
    return text is not None and _ALLOCATING.search(text) is not None


def side_by_side(
    found: Divergence,
    of_a: Sequence[LedgerRow],
    of_b: Sequence[LedgerRow],
    files: Correspondence | None = None,
) -> tuple[LedgerPair, ...]:
    """Two ledgers' entries up to a divergence, each with its counterpart, in order."""
    files = files or Correspondence()
    lines = not files.edited
    counterparts: dict[tuple[object, ...], list[LedgerRow]] = {}
    for row in _until(found, of_b):
        counterparts.setdefault(_key(row, files.b, lines=lines), []).append(row)
    entries = []
    for row in _until(found, of_a):
        others = counterparts.get(_key(row, files.a, lines=lines))
        other = others.pop(0) if others else None
        entries.append(LedgerPair(row=row, other=other, origin=_origin(row, of_a)))
    for rows in counterparts.values():
        entries += [
            LedgerPair(row=row, origin=_origin(row, of_b), only_second=True) for row in rows
        ]
    # The main process first: what children do, they do in between.
    return tuple(sorted(entries, key=lambda e: (e.row.process, e.row.first_step, e.row.first_row)))


def _origin(row: LedgerRow, ledger: Sequence[LedgerRow]) -> LedgerRow | None:
    return ledger[row.origin] if 0 <= row.origin < len(ledger) else None


def _key(row: LedgerRow, files: RunFiles, *, lines: bool) -> tuple[object, ...]:
    # What a file is called may be made up anew in each run (a temporary folder): the line counts.
    detail = "" if row.source in ("file", "listing") else row.detail
    site = row.site
    return (
        row.source,
        row.event,
        detail,
        None if site is None else (files.name(site.file), site.line if lines else 0, site.function),
        row.worker,
    )
