"""The line to blame where the ledger names it: what was drawn, seeded or read there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.writing.environments import samples_a_space
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.rows import LedgerRow
from samebits.check.trials.attribution.culprit import (
    of_an_archive,
    of_clock_of_a_library,
    of_divergence,
    of_entry,
)
from samebits.core.source.limits_of_time import lines_that_set_a_time
from samebits.core.source.statement import enclosing_function, stands_after

_TRAINERS = ("lightning.", "pytorch_lightning.", "transformers.")
_GONE_THROUGH_ONCE = (None, "main")
"""Functions of scripts that are not called again and again; None for the module's own level."""


def from_ledger(hypothesis: Hypothesis, evidence: Evidence) -> tuple[Culprit, ...]:
    """Places that the ledger offers, best first; empty when it offers none.

    A seed that differs leads to where its value came from. Of draws, those of the generator that
    the diverging operation uses come first, and among equals the last before the divergence: what
    was drawn long before and still left everything equal has done no harm.
    """
    origin = _origin_of_seed(hypothesis, evidence)
    if origin is not None:
        return (origin,)
    entries = [entry for entry in hypothesis.entries if entry.place is not None]
    if hypothesis.pin == "seeds":
        return _generators(entries, evidence)
    places = [*map(of_entry, _latest_places(entries))]
    if hypothesis.pin != "clock":
        return tuple(places)
    # What a whole run has read is known, not when: a line that comes later has done no harm, and
    # one that only prints how long it took hardly has. Libraries mostly ask how long they took.
    found = evidence.found
    places.sort(key=lambda place: of_clock_of_a_library(place) and not of_an_archive(place))
    places.sort(key=lambda place: is_only_printed(place.file, place.line))
    places.sort(key=lambda place: comes_after(place, found))
    return (*_by_setting(places, evidence), *places)


def seeded_by_a_name(evidence: Evidence, digested: Sequence[tuple[str, int]]) -> Culprit | None:
    """The line that makes a seed of a name's digest, and made another one in each run.

    It may run in a worker of a loader, whose variables are not followed.

    Args:
        evidence: What both runs have noted up to where they diverge.
        digested: Lines that take a digest of a name, where names alone may be to blame.
    """
    made = [
        entry
        for entry in evidence.other_seeds
        if entry.differs and entry.other is not None and entry.place in digested
    ]
    places = {entry.place for entry in made if entry.place is not None}
    if len(places) != 1:
        return None
    ((file, line),) = places
    return Culprit(file=file, line=line, operation=made[0].row.detail, seeded=True)


def archive(places: Sequence[Culprit], evidence: Evidence) -> Culprit | None:
    """The one line that puts something into an archive, which then holds the time.

    Args:
        places: Lines that asked for the time.
        evidence: What both runs have noted up to where they diverge.
    """
    written = [place for place in places if of_an_archive(place)]
    if not written:
        # An archive may hold the times of its files alone, which no clock is asked for.
        packed = (Culprit(file=file, line=line, by_source=True) for file, line in evidence.packed)
        written = [place for place in packed if not comes_after(place, evidence.found)]
    return written[0] if len(written) == 1 else None


def alarm(places: Sequence[Culprit], evidence: Evidence) -> Culprit | None:
    """The one line that asks for a signal after a time, where the time is else only printed.

    No variable differs after such a line: what the signal sets off does.

    Args:
        places: Lines that asked for the time.
        evidence: What both runs have noted up to where they diverge.
    """
    asked = [place for place in places if _asks_for_a_signal(place)]
    others = (place for place in places if not _asks_for_a_signal(place))
    if len(asked) != 1 or evidence.packed or comes_after(asked[0], evidence.found):
        return None
    return asked[0] if all(is_only_printed(one.file, one.line) for one in others) else None


def _asks_for_a_signal(place: Culprit) -> bool:
    return place.entry is not None and place.entry.row.event == "start"


def comes_after(place: Culprit, found: Divergence) -> bool:
    """Whether a line comes after the divergence, in what is gone through once."""
    once = enclosing_function(found.file, found.line) in _GONE_THROUGH_ONCE
    return once and place.file == found.file and stands_after(found.file, place.line, found.line)


def _by_setting(places: Sequence[Culprit], evidence: Evidence) -> list[Culprit]:
    """Where a trainer asks for the time, the one line that has set how long, in any file."""
    asks = next((place for place in places if _is_a_trainer(place)), None)
    if asks is None:
        return []
    known = (entry.place for entry in evidence.entries if entry.place is not None)
    files = dict.fromkeys([*(file for file, _ in known), evidence.found.file])
    lines = [(file, line) for file in files for line in lines_that_set_a_time(file)]
    if len(lines) != 1:
        return []
    file, line = lines[0]
    return [replace(asks, file=file, line=line, by_source=True)]


def _is_a_trainer(place: Culprit) -> bool:
    return place.entry is not None and place.entry.row.detail.startswith(_TRAINERS)


def _origin_of_seed(hypothesis: Hypothesis, evidence: Evidence) -> Culprit | None:
    sources = {entry.row.source for entry in hypothesis.entries}
    for entry in evidence.other_seeds:
        origin = entry.origin
        if origin is not None and origin.source in sources and origin.site is not None:
            return replace(of_entry(LedgerPair(row=origin)), seeded=True)
    # A seed that is made of several things is no number that was read; where it is made tells.
    made = {entry.place for entry in evidence.other_seeds if entry.place is not None}
    for entry in hypothesis.entries if hypothesis.pin != "seeds" else ():
        if entry.place in made:
            return replace(of_entry(entry), seeded=True)
    if hypothesis.pin != "seeds":
        return None
    drawn = [entry for entry in evidence.unseeded if entry.row.event != "seed"]
    for entry in evidence.other_seeds:
        if entry.place is None or (entry.in_worker and hypothesis.code != "worker-rng"):
            continue
        if entry.seeds_from_system:
            return of_entry(entry)
        if entry.row.seeded == 0:
            continue  # what draws after it lacks a seed
        # A number that nothing is known of: drawn just before, or read off a generator.
        before = [e for e in drawn if _is_before(e.row, entry.row) and e.place is not None]
        return of_entry(_where_made(before[-1], before) if before else entry)
    return None


def _where_made(drawn: LedgerPair, before: Sequence[LedgerPair]) -> LedgerPair:
    """Where the generator was made that a number was drawn from, if there is no other it may be.

    What a generator spawns follows from its seed, not from what was drawn from it.
    """
    if drawn.row.source != "numpy-generator":
        return drawn  # it may be one that everybody shares
    made = [
        entry
        for entry in before
        if entry.row.event == "construct"
        and (entry.row.source, entry.row.process) == (drawn.row.source, drawn.row.process)
    ]
    return made[0] if len(made) == 1 and made[0].row.calls == 1 else drawn


def _is_before(row: LedgerRow, other: LedgerRow) -> bool:
    return (row.first_step, row.first_row) <= (other.first_step, other.first_row)


def _generators(entries: Sequence[LedgerPair], evidence: Evidence) -> tuple[Culprit, ...]:
    found = evidence.found
    made = [entry for entry in entries if entry.row.event != "draw"]
    drawn = [entry for entry in entries if entry.row.event == "draw"]
    if found.random and not found.data:
        same = [e for e in (*made, *drawn) if e.row.source.startswith("torch")]
        at_place = [e for e in same if e.place == (found.file, found.line)]
        if at_place:
            return tuple(map(of_entry, at_place))
        if not same:
            # What Python and NumPy draw changes no numbers of torch's but by a seed.
            return (of_divergence(found, _torch_generator(found)),)
    # An instance's draws lead back to where it was made; the global ones have no such place.
    instances = {entry.row.source for entry in made}
    free = [entry for entry in drawn if entry.row.source not in instances]
    # A generator that is made of a sequence without a seed is not where the seed is missing.
    sequences = [entry for entry in made if entry.row.detail.endswith(".SeedSequence")]
    made = [*_latest_places(sequences), *_latest_places(made)]
    # The space that is sampled says more than what made its generator, which copies spaces, too.
    sampled = [entry for entry in drawn if samples_a_space(entry.row.detail)]
    places = [*_latest_places(free), *_latest_places(sampled)]
    if len(places) == 1 and sampled and all(map(_is_of_gymnasium, made)):
        made = []  # that one space is all that is drawn from
    return tuple(map(of_entry, (*places, *made)))


def _is_of_gymnasium(entry: LedgerPair) -> bool:
    return entry.row.detail.startswith(("gymnasium.", "gym."))


def _torch_generator(found: Divergence) -> str:
    return "torch-cuda" if "cuda" in found.op else "torch-cpu"


def _latest_places(entries: Sequence[LedgerPair]) -> list[LedgerPair]:
    """One entry a line, the one that happened last first."""
    places: dict[tuple[str, int], LedgerPair] = {}
    for entry in entries:
        if entry.place is not None:
            places.setdefault(entry.place, entry)
    return list(places.values())[::-1]
