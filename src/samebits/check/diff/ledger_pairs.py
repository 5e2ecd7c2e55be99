"""An entry of the ledger, as each of two runs has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samebits.check.trace.rows import LedgerRow

_OWN_WORK = (
    *("asyncio.", "concurrent.", "http.", "logging.", "multiprocessing.", "queue.", "socket."),
    *("ssl.", "subprocess.", "tempfile.", "threading.", "torch.multiprocessing."),
    *("torch.utils.data.", "tqdm.", "urllib."),
)
"""Libraries that read clocks and draw numbers which never come near a result."""
GENERATORS = ("python", "numpy", "numpy-generator", "torch-cpu", "torch-cuda", "torch-generator")
"""Sources of the ledger that a seed decides."""
OF_AN_INSTANCE = ("numpy.random.RandomState.", "random.Random.")
"""What the ledger calls methods of generators of the shared kinds that somebody has made."""
CLOCKS = ("datetime.", "os.", "pathlib.", "posix.", "time.")
"""Modules whose functions are a clock themselves, or tell when a file was changed."""
ENTROPY = ("urandom", "uuid", "secrets", "pid", "port")
"""Sources of the ledger that none does."""


_TEMPORARY = "tempfile."
_PUTTING_BACK = frozenset(
    {"__exit__", "set_rng_state", "set_rng_state_all", "set_state", "setstate", "state"}
)
"""What puts a generator's state back; the first is that of torch.random.fork_rng."""
_DIGESTS = 1 << 64


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
    def changed(self) -> bool:
        """Whether both runs came here, and saw different values."""
        return self.other is not None and self.differs

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
    def surplus(self) -> int:
        """By how much run A's digest without an order exceeds run B's; these are sums over items.

        Entries whose surpluses add up to 0 hold the same items in both runs.
        """
        if self.other is None:
            return -self.row.order_free if self.only_second else self.row.order_free
        return self.row.order_free - self.other.order_free

    @property
    def unseeded(self) -> bool:
        """Whether a generator was used that nobody had seeded."""
        return self.row.source in GENERATORS and self.row.seeded == 0

    @property
    def seeds_from_system(self) -> bool:
        """Whether a seed was taken from the system, and no state that nobody had seeded put back.

        As `torch.random.fork_rng` puts one back, which leaves things as they were.
        """
        name = self.row.detail.rpartition(".")[2]
        return self.row.event == "seed" and self.row.seeded == 0 and name not in _PUTTING_BACK

    @property
    def internal(self) -> bool:
        """Whether a library needed it for its own work."""
        return is_internal(self.row)

    @property
    def in_worker(self) -> bool:
        """Whether it happened in a worker of a DataLoader."""
        return self.row.worker >= 0

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line, where a line of the user's code is known."""
        site = self.row.site
        return None if site is None or site.line <= 0 else (site.file, site.line)


def is_internal(row: LedgerRow) -> bool:
    """Whether a library needed it for its own work: a queue's deadline, a temporary name."""
    if row.site is None:
        return True
    if row.source in ("thread", "process", "timer"):
        return "torch.utils.data." in row.detail  # a pool's threads are what was asked for
    if row.source == "port":
        return False  # whatever binds a socket there: that any port will do is what was asked for
    own = row.detail.startswith(_OWN_WORK)
    return own and row.event != "seed" and not row.source.startswith(("torch", "worker"))


def makes_temporary_name(entry: LedgerPair) -> bool:
    """Whether an entry is that of a line which makes a temporary file or folder."""
    return entry.row.detail.startswith(_TEMPORARY) and entry.place is not None


def moved_seeds(entries: Iterable[LedgerPair]) -> list[LedgerPair]:
    """Seeds that came in another order, or went to other processes: as a whole the same ones.

    That is how it looks where threads or processes take tasks as they are free, and each task has
    its own seed.
    """
    lines: dict[object, list[LedgerPair]] = {}
    for entry in entries:
        row = entry.row
        if row.event in ("seed", "construct") and row.seeded == 1 and row.order_free:
            lines.setdefault((row.event, row.detail, entry.place), []).append(entry)
    return [
        entry
        for of_line in lines.values()
        if sum(entry.surplus for entry in of_line) % _DIGESTS == 0
        for entry in of_line
        if entry.differs
    ]
