"""What may have made two runs diverge, likeliest first, by what they themselves have noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from samebits.check.diff.rows import PLAIN_ARGUMENTS, UNEXPLAINED_INPUTS
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution.evidence import ENTROPY, Evidence, LedgerPair
from samebits.check.trials.attribution.only_printed import is_only_printed

STRONG = 60
"""Weight from which on a hypothesis is pinned alone, before everything is pinned at once."""
_HARDLY = 25


_DELETING = ("shutil.rmtree", "tempfile.TemporaryDirectory")


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """One aspect of a run that may be to blame.

    Attributes:
        pin: The pin that keeps it still: "seeds".
        code: The cause that it would be.
        detail: Which one, such as "numpy".
        weight: How likely it is, from 0 to 100: what is tried first, no probability.
        entries: What speaks for it in the ledger, in the order in which it happened.
    """

    pin: str
    code: str
    detail: str = ""
    weight: int
    entries: Sequence[LedgerPair] = ()

    @property
    def is_evident(self) -> bool:
        """Whether the runs' own notes speak for it: without, it is only not excluded."""
        return bool(self.entries) or self.code == "uninitialized-memory"


def is_shown_by_the_operation(hypothesis: Hypothesis, evidence: Evidence) -> bool:
    """Whether the operation that diverges shows the cause itself, in every run.

    It draws from a generator that nobody had seeded, or reads memory that nobody had written.
    """
    if hypothesis.code == "uninitialized-memory":
        return bool(evidence.flags & Flag.READS_UNWRITTEN)
    if hypothesis.code not in ("unseeded-rng", "worker-rng"):
        return False
    own = any(
        entry.unseeded and entry.row.source.startswith("torch") for entry in hypothesis.entries
    )
    return evidence.found.random and own


def is_a_draw_that_nobody_seeded(hypothesis: Hypothesis, evidence: Evidence) -> bool:
    """Whether the operation draws, given the same in both runs, and torch was seeded nowhere.

    Its generator starts at random in every process, so that no two of them draw the same.
    """
    found = evidence.found
    return (
        hypothesis.code == "unseeded-rng"
        and is_shown_by_the_operation(hypothesis, evidence)
        and found.kind == "output"
        and not found.data
        and found.detail not in (UNEXPLAINED_INPUTS, PLAIN_ARGUMENTS)
        and not evidence.torch_is_seeded
    )


def hypotheses(evidence: Evidence) -> list[Hypothesis]:
    """Everything that the evidence leaves as a possible cause, likeliest first.

    Aspects that the two runs prove not to have varied (a clock that nobody read, listings that
    agree) are not among them.
    """
    found = [hypothesis for rule in _RULES for hypothesis in rule(evidence)]
    if on_equal_inputs(evidence) and evidence.found.op.startswith("aten."):
        found = [hypothesis for hypothesis in found if hypothesis.pin in _INSIDE_OPERATIONS]
    return sorted(found, key=lambda hypothesis: -hypothesis.weight)


def one_a_pin(ranked: Iterable[Hypothesis], usable: Sequence[str]) -> list[Hypothesis]:
    """Of hypotheses that one pin would settle, the likeliest; only pins that work here."""
    first: dict[str, Hypothesis] = {}
    for hypothesis in ranked:
        if hypothesis.pin in usable:
            first.setdefault(hypothesis.pin, hypothesis)
    return list(first.values())


# What reaches into one of torch's own operations although all that it was given agrees: an order of
# names or a seed cannot.
_INSIDE_OPERATIONS = frozenset(
    {"addresses", "deterministic-algorithms", "memory", "thread-timing", "threads"}
)


def on_equal_inputs(evidence: Evidence) -> bool:
    """Whether the operation got equal inputs, drew nothing, and still gave something else."""
    found = evidence.found
    return (
        found.kind == "output"
        and not found.random
        and not found.data
        and found.detail not in (UNEXPLAINED_INPUTS, PLAIN_ARGUMENTS)
        and not evidence.flags & (Flag.READS_UNWRITTEN | Flag.RANDOM | Flag.MODULE)
    )


def _memory(evidence: Evidence) -> Iterator[Hypothesis]:
    read = bool(evidence.flags & Flag.READS_UNWRITTEN)
    unexplained = evidence.found.detail == UNEXPLAINED_INPUTS
    weight = 95 if read else 40 if unexplained or evidence.found.data else 20
    if evidence.found.data and evidence.allocates and not read:
        # Memory that NumPy handed out is known by its name alone. It holds what was there before,
        # numbers of a clock among them: pinning the clock would settle it as well, and be wrong.
        weight = 94 if evidence.of("clock") else STRONG
    yield Hypothesis(pin="memory", code="uninitialized-memory", weight=weight)


def _seeds(evidence: Evidence) -> Iterator[Hypothesis]:
    entries = evidence.unseeded
    in_workers = [entry for entry in entries if entry.in_worker]
    found = evidence.found
    reseeded = [entry for entry in evidence.other_seeds if entry.row.seeded == 0]
    # With equal seeds a draw differs because more or fewer were made before it, and something else
    # decided how many.
    at_random = found.random and not evidence.torch_is_seeded
    if at_random and not evidence.other_seeds and not in_workers:
        weight = 90
    elif reseeded:
        weight, entries = 85, entries or reseeded
    elif entries:
        weight = 80
    elif any(entry.in_worker for entry in evidence.other_seeds):
        weight = 79  # a loader seeds its workers by a draw from torch's generator
    elif at_random:
        weight = 50
    else:
        weight = 15
    only_workers = bool(entries) and len(in_workers) == len(entries)
    yield Hypothesis(
        pin="seeds",
        code="worker-rng" if only_workers else "unseeded-rng",
        weight=weight,
        entries=entries,
    )


def _entropy(evidence: Evidence) -> Iterator[Hypothesis]:
    entries = evidence.of(*ENTROPY)
    if not entries:
        return
    drawn = [entry for entry in _told(entries) if entry.row.source != "pid"]
    weight = 45 if drawn else _HARDLY
    if _seeds_came_from(evidence, ENTROPY):
        weight = 92
    elif evidence.other_seeds:
        weight = 82 if drawn else 65 if _told(entries) else _HARDLY
    elif drawn and not evidence.unseeded:
        weight = 70
    yield Hypothesis(pin="entropy", code="entropy", weight=weight, entries=drawn or entries)


def _clock(evidence: Evidence) -> Iterator[Hypothesis]:
    entries = evidence.of("clock")
    if not entries:
        return
    found = evidence.found
    other_flow = found.kind == "inserted" or (found.kind == "step" and found.op == "steps")
    weight = 35
    if _seeds_came_from(evidence, ("clock",)):
        weight = 93
    elif not _told(entries) or _is_only_printed(_told(entries)):
        weight = _HARDLY
    elif evidence.other_seeds:
        weight = 81
    elif other_flow or found.detail == PLAIN_ARGUMENTS:
        weight = 75
    elif not evidence.unseeded:
        weight = 62
    yield Hypothesis(pin="clock", code="clock", weight=weight, entries=_told(entries) or entries)


def _listing(evidence: Evidence) -> Iterator[Hypothesis]:
    entries = [
        entry
        for entry in evidence.of("listing")
        # What is listed to be deleted has been read by then, if ever.
        if entry.differs and not entry.row.detail.startswith(_DELETING)
    ]
    reordered = [entry for entry in entries if entry.reordered]
    if reordered:
        yield Hypothesis(pin="listing", code="file-order", weight=88, entries=reordered)
    elif entries:
        yield Hypothesis(pin="listing", code="file-order", weight=30, entries=entries)


def _files(evidence: Evidence) -> Iterator[Hypothesis]:
    entries = [entry for entry in evidence.of("file") if entry.differs]
    if entries:
        yield Hypothesis(pin="files", code="data-changed", weight=86, entries=entries)
    elif evidence.rewritten:
        # What a run reads that it has changed is not digested: only that it did is known.
        weight = 83 if evidence.found.data or evidence.other_seeds else 66
        if not evidence.found_again:
            weight = _HARDLY  # a library may still have read them by itself, in C
        yield Hypothesis(pin="files", code="data-changed", weight=weight)


def _hash_seed(evidence: Evidence) -> Iterator[Hypothesis]:
    if evidence.hash_seed_fixed:
        return
    entries = [entry for entry in evidence.of("hash") if entry.differs]
    weight = 78 if entries else 61
    yield Hypothesis(pin="hash-seed", code="hash-order", weight=weight, entries=entries)


def _addresses(evidence: Evidence) -> Iterator[Hypothesis]:
    yield Hypothesis(pin="addresses", code="address-order", weight=STRONG)


def _threads(evidence: Evidence) -> Iterator[Hypothesis]:
    entries = evidence.of("thread", "process")
    if entries:
        weight = 76 if evidence.found.detail == UNEXPLAINED_INPUTS else 64
        weight = weight if _told(entries) else _HARDLY
        yield Hypothesis(
            pin="thread-timing", code="thread-timing", weight=weight, entries=_told(entries)
        )


def _operation(evidence: Evidence) -> Iterator[Hypothesis]:
    """Forms of operations that do not repeat: only what is computed can show that."""
    if evidence.found.kind in ("output", "step", "saved"):
        alone = on_equal_inputs(evidence)
        for pin in ("deterministic-algorithms", "threads"):
            yield Hypothesis(
                pin=pin,
                code="nondeterministic-op",
                detail=evidence.found.op if alone else "",
                weight=STRONG + 5 if alone else 10,
            )


def _told(entries: Sequence[LedgerPair]) -> list[LedgerPair]:
    """Those that the script itself asked for."""
    return [entry for entry in entries if not entry.internal]


def _is_only_printed(entries: Sequence[LedgerPair]) -> bool:
    return all(entry.place is not None and is_only_printed(*entry.place) for entry in entries)


def _seeds_came_from(evidence: Evidence, sources: Sequence[str]) -> bool:
    """Whether a seed that differs was taken from one of these."""
    return any(
        entry.origin is not None and entry.origin.source in sources
        for entry in evidence.other_seeds
    )


_RULES: tuple[Callable[[Evidence], Iterator[Hypothesis]], ...] = (
    _memory,
    _seeds,
    _entropy,
    _clock,
    _listing,
    _files,
    _hash_seed,
    _addresses,
    _threads,
    _operation,
)
