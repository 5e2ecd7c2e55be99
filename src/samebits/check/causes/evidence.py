"""What two runs that diverge have noted up to there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from samebits.check.diff.ledger_pairs import LedgerPair, moved_seeds
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.codes import Flag
from samebits.core.source.ordered_fields import OrderedField

_NO_FLAGS = Flag(0)
_LOADERS = "torch.utils.data."


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All that is known where two runs diverge, before any further run is made.

    Attributes:
        found: Where they diverge.
        flags: Flags of the operation that diverges; none where it is no operation.
        entries: What the ledgers hold up to there, in the order in which it happened.
        without_seed: Entries of the first run's whole ledger whose generators nobody had seeded.
        drawn_unseeded: Draws of the script in the first run, in any of its processes, from
            generators that nobody had seeded.
        hash_seed_fixed: Whether PYTHONHASHSEED was set from outside.
        allocates: Whether the script names a function that hands out memory as it is.
        asks_usage: Whether it names one that says how much of the machine is in use.
        digested: Files and lines of it that take a digest of a name or a path.
        packed: Files and lines of it that put something into an archive.
        sources: Its own source files.
        ordered: Fields by which its dataclasses are ordered.
        draws_in_sql: Whether it names SQL's RANDOM() beside sqlite3.
        asks_for_the_time_in_sql: Whether SQL of it computes with 'now', beside sqlite3.
        joins_by_arrow: Whether it has Arrow join tables, or group their rows.
        rewritten: Files that both runs changed: the second may have found what the first had left.
        left: Files that the first run wrote, and the second one found otherwise than the first did.
        left_besides: Files that the first run wrote and only the second one read, in any of their
            processes, also after they diverge.
        found_again: Whether the second run was seen to look at one of them before it changed it;
            None where a process that keeps no ledger may have.
        starts: Entries of the script's own process for what it starts, where the runs diverge in
            another one.
        between: Entries for lines that ask whether others are ready, or hand weights over to them,
            for generators that threads draw from in turns, whose digests are of the whole run, and
            for files that workers share, of the script's own process as well where they diverge in
            one that it has started.
        shares_work: Whether they diverge in one of several processes of a line that may share their
            work as it comes.
        seeded_on_other_ranks: Generators that another rank of the run has drawn from after it had
            seeded them; none where no rank diverges.
    """

    found: Divergence
    flags: Flag = _NO_FLAGS
    entries: Sequence[LedgerPair] = ()
    without_seed: Sequence[LedgerPair] = ()
    drawn_unseeded: Sequence[LedgerPair] = ()
    hash_seed_fixed: bool = False
    rewritten: Sequence[str] = ()
    left: Sequence[str] = ()
    left_besides: Sequence[str] = ()
    found_again: bool | None = False
    allocates: bool = False
    asks_usage: bool = False
    digested: Sequence[tuple[str, int]] = ()
    packed: Sequence[tuple[str, int]] = ()
    sources: Sequence[str] = ()
    ordered: Sequence[OrderedField] = ()
    draws_in_sql: bool = False
    asks_for_the_time_in_sql: bool = False
    joins_by_arrow: bool = False
    starts: Sequence[LedgerPair] = ()
    between: Sequence[LedgerPair] = ()
    shares_work: bool = False
    seeded_on_other_ranks: frozenset[str] = frozenset()

    def of(self, *sources: str) -> list[LedgerPair]:
        """The entries of some sources, in order."""
        return [entry for entry in self.entries if entry.row.source in sources]

    @property
    def _of_generators(self) -> Iterator[LedgerPair]:
        """Entries whose generators the operation that diverges may have drawn from.

        What a child process draws and seeds reaches no generator of the script's own process.
        """
        found = self.found
        own = found.random and found.kind == "output" and not found.data and not found.is_unrecorded
        return (entry for entry in self.entries if not (own and entry.row.process))

    @property
    def unseeded(self) -> list[LedgerPair]:
        """Draws from, and constructions of, generators that nobody had seeded."""
        return [entry for entry in self._of_generators if entry.unseeded and not entry.internal]

    @property
    def is_elsewhere(self) -> bool:
        """Whether they diverge in a process that is not recorded: what it asks for is unknown."""
        return self.found.is_unrecorded

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
        """Calls that seeded a generator with another number in each run.

        The same numbers in another order, or in other processes, are none, nor is what only one of
        the runs has seeded: the other one went another way. Nor is a seed that a loader has drawn
        from torch's own generator, which follows from how often that was asked.
        """
        moved = {id(entry) for entry in self.moved_seeds}
        return [
            entry
            for entry in self._of_generators
            if id(entry) not in moved
            and not self._is_drawn_by_a_loader(entry)
            and (
                (entry.row.event == "seed" and (entry.changed or entry.row.seeded == 0))
                or (entry.row.event == "construct" and entry.changed and entry.row.seeded == 1)
            )
        ]

    def _is_drawn_by_a_loader(self, entry: LedgerPair) -> bool:
        """Whether a loader seeds the generator of its order with a number that it has drawn.

        Each time that it is walked it draws one for its workers, and this one. A sampler that is
        given its seed (`DistributedSampler`) makes no draw.
        """
        row = entry.row
        if row.source != "torch-generator" or not row.detail.startswith(_LOADERS):
            return False
        drawn = (e for e in self.of("torch-cpu") if e.row.event == "draw")
        return any(e.place == entry.place and e.row.calls >= 2 * row.calls for e in drawn)

    @property
    def moved_seeds(self) -> list[LedgerPair]:
        """Seeds that came in another order, or went to other processes."""
        return moved_seeds(self._of_generators)

    @property
    def is_another_way(self) -> bool:
        """Whether they went different ways: only one of them has an operation, or a step."""
        found = self.found
        return found.kind == "inserted" or (found.kind == "step" and found.op == "steps")

    @property
    def is_on_equal_inputs(self) -> bool:
        """Whether the operation got equal inputs, drew nothing, and still gave something else."""
        found = self.found
        return (
            found.is_own_doing
            and not found.random
            and not self.flags & (Flag.READS_UNWRITTEN | Flag.RANDOM | Flag.MODULE)
        )

    def seeds_came_from(self, *sources: str) -> bool:
        """Whether a seed that differs was taken from one of these sources of the ledger."""
        return any(
            entry.origin is not None and entry.origin.source in sources
            for entry in self.other_seeds
        )
