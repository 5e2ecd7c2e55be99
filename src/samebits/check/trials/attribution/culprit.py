"""The line to blame: where in the user's code the culprit was made, drawn or read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from samebits.check.causes.culprit import Culprit, WalkedSet
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.writing.environments import samples_a_space
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.causes.writing.set_order import walked_in
from samebits.check.diff.ledger_pairs import CLOCKS, LedgerPair
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow, OpRow
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution.decisive_line import decisive, reaching
from samebits.check.trials.attribution.walked_sets import walked_set, walks_no_set
from samebits.core.catalog import memory
from samebits.core.source.limits_of_time import lines_that_set_a_time
from samebits.core.source.statement import (
    branch_at,
    enclosing_function,
    loop_around,
    stands_after,
    statement_at,
    stored_by_a_call,
)
from samebits.errors import TraceError

_ROWS_LOOKED_BACK = 200_000
_TRAINERS = ("lightning.", "pytorch_lightning.", "transformers.")
_GONE_THROUGH_ONCE = (None, "main")
"""Functions of scripts that are not called again and again; None for the module's own level."""


def of_divergence(found: Divergence, detail: str = "") -> Culprit:
    """The line of the operation that parts."""
    operation = found.op if found.kind in ("output", "inserted") else ""
    return Culprit(file=found.file, line=found.line, detail=detail, operation=operation)


def of_entry(entry: LedgerPair) -> Culprit:
    """The line that the ledger names."""
    place = entry.place
    file, line = (None, None) if place is None else place
    return Culprit(file=file, line=line, detail=entry.row.source, entry=entry)


def of_values(values: ValueDifferences) -> Culprit | None:
    """The first line after which a variable differs, else the last before the ways diverge.

    Args:
        values: Where variables diverge.
    """
    line = next(iter(that_matter(values)), None)
    if line is not None:
        return Culprit(file=line.file, line=line.line, variable=line.name)
    if values.flow is not None:
        return Culprit(file=values.flow.file, line=values.flow.line)
    return None


def of_content(values: ValueDifferences, at: Divergence) -> Culprit | None:
    """The first line whose values go into the divergence, where a file held something else.

    What a run calls its folders differs as well, and reaches nothing.

    Args:
        values: Where variables diverge.
        at: Where the runs diverge.
    """
    lines = that_matter(values)
    line = next(iter(reaching(lines, at)), None)
    if line is not None:
        return _of_line(line)
    stored = stored_by_a_call(at.file, at.line)
    if stored is not None:
        return Culprit(file=at.file, line=stored, by_source=True)
    # A call that gave back the same, such as one that numbers the run, has handed nothing on.
    hands_on = (line for line in lines if not line.idle)
    return next(map(_of_line, hands_on), None) if any(line.idle for line in lines) else None


def of_order(values: ValueDifferences, at: Divergence) -> Culprit | None:
    """Where an order is the cause: the line that walks what has it, else the first that differs.

    Args:
        values: Where variables diverge.
        at: Where the runs diverge. Of several lines that walk something, the first is meant that
            has reached it, where that can be told by the names that the lines read and store.
    """
    first = of_values(values)
    if first is None:
        return None
    lines = list(_differing(values, further=True))
    walking = decisive(lines, at)
    place = _of_line(walking[0]) if walking else first
    known = with_elements(place, values.folder)
    if known.walked is not None:
        return replace(known, alike=tuple(_alike(known.walked, walking[1:], values.folder)))
    around = next(_heads_of_loops(lines, values.folder), None)
    if around is not None or not walking or not values.folder:
        return around or known
    # What is walked there was no set when it ran: an order may have come out of a call, too.
    statement = statement_at(walking[0].file, walking[0].line)
    surely = statement is not None and any(w.is_hash or w.is_set for w in walked_in(statement))
    return known if surely else with_elements(first, values.folder)


def _of_line(line: ValueDifference) -> Culprit:
    return Culprit(file=line.file, line=line.line, variable=line.name)


def _alike(
    walked: WalkedSet, lines: Sequence[ValueDifference], run: str
) -> Iterator[tuple[str, int]]:
    """Other lines that walk sets in an order of the same kind."""
    seen = {(walked.file, walked.line)}
    for line in lines:
        other = with_elements(_of_line(line), run).walked
        if other is None or (other.file, other.line) in seen:
            continue
        seen.add((other.file, other.line))
        if other.goes_by == walked.goes_by:
            yield other.file, other.line


def _heads_of_loops(lines: Sequence[ValueDifference], run: str) -> Iterator[Culprit]:
    """Heads of loops around the lines that walk sets of what looks alike, such as functions."""
    heads = {(line.file, loop_around(line.file, line.line)): line.name for line in lines}
    for (file, head), name in heads.items():
        if head is not None and run:
            around = with_elements(Culprit(file=file, line=head, variable=name), run)
            if around.walked is not None and around.walked.goes_by not in ("value", "unknown"):
                yield around


def with_elements(place: Culprit, run: str) -> Culprit:
    """The place with what a traced run met in the set that is walked there.

    Args:
        place: A line.
        run: Folder of a run whose values were traced; "" for none.
    """
    if not run:
        return place
    try:
        walked = walked_set(run, place.file, place.line)
        none = walked is None and walks_no_set(run, place.file, place.line)
        return replace(place, walked=walked, walks_none=none)
    except TraceError:
        return place  # what two runs have shown stays as it is


def _differing(values: ValueDifferences, *, further: bool = False) -> Iterator[ValueDifference]:
    """Lines after which variables differ, without imports: these differ by what was pinned.

    A replacement for a function is another object than the function, where its name is imported;
    the lines that use it are the ones to look at.
    """
    for line in (*values.lines, *(values.further if further else ())):
        statement = statement_at(line.file, line.line)
        if statement is None or not isinstance(statement.node, ast.Import | ast.ImportFrom):
            yield line


def that_matter(values: ValueDifferences) -> list[ValueDifference]:
    """The same without what goes into printed text alone, such as durations, where more is left."""
    lines = list(_differing(values))
    return [line for line in lines if not is_only_printed(line.file, line.line)] or lines


def of_flow(values: ValueDifferences) -> Culprit | None:
    """The line after which the ways diverge, else the first after which a variable differs."""
    flow = values.flow
    if flow is None:
        return of_values(values)
    ways = [way or "its end" for way in (flow.next_a, flow.next_b)]
    return Culprit(
        file=flow.file,
        line=branch_at(flow.file, flow.line) or flow.line,
        detail=f"run A goes on at {ways[0]}, run B at {ways[1]}",
    )


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
    places.sort(key=_asks_by_a_library)
    places.sort(key=lambda place: is_only_printed(place.file, place.line))
    places.sort(key=lambda place: _comes_after(place, found))
    return (*_by_setting(places, evidence), *places)


def _asks_by_a_library(place: Culprit) -> bool:
    entry = place.entry
    of_clock = entry is not None and entry.row.source == "clock"
    return of_clock and entry is not None and not entry.row.detail.startswith(CLOCKS)


def _is_a_clock_of_the_script(place: Culprit) -> bool:
    entry = place.entry
    own = entry is not None and entry.row.source == "clock" and not _asks_by_a_library(place)
    return own and not is_only_printed(place.file, place.line)


def _comes_after(place: Culprit, found: Divergence) -> bool:
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


def of_allocation(found: Divergence, trace: Trace, side: int = 0) -> Culprit | None:
    """Where the memory was made that the diverging operation read before it was written.

    It is taken to be the last allocation before it that nothing was written to at once, with the
    same dtype and shape where there is one, else with the same dtype, else any. Where that is a
    copy of what nothing had written to, it is what was copied.

    Args:
        found: The divergence.
        trace: The run.
        side: 0 for run A's row, 1 for run B's.
    """
    row = found.rows[side]
    if row is None:
        return None
    start = max(0, row - _ROWS_LOOKED_BACK)
    before = trace.rows(range(start, row))
    made = [
        r
        for number, r in enumerate(before)
        if r.flags & Flag.SCRATCH
        and r.site is not None
        and not _filled(r, before[number + 1 :][:2])
    ]
    wanted = trace.row(row).signature
    dtype = wanted.partition("[")[0]
    same = [r for r in made if r.signature == wanted]
    alike = [r for r in made if r.signature.partition("[")[0] == dtype]
    likeliest = same or alike or made
    return _of_row(_copied_from(likeliest[-1], made)) if likeliest else None


def _copied_from(row: OpRow, made: Sequence[OpRow]) -> OpRow:
    """Of a copy of unwritten memory the allocation before it of that shape; else the row itself."""
    if _operation(row) not in memory.COPIES:
        return row
    shape = row.signature.partition("[")[2]
    earlier = [
        r
        for r in made[: made.index(row)]
        if _operation(r) not in memory.COPIES and r.signature.partition("[")[2] == shape
    ]
    return earlier[-1] if earlier else row


def _operation(row: OpRow) -> str:
    return row.op.removeprefix("aten.").partition(".")[0]


def _filled(made: OpRow, following: Sequence[OpRow]) -> bool:
    """Whether memory is filled right after it was allocated, on the same line."""
    return any(
        row.flags & Flag.INPLACE and row.signature == made.signature and row.site == made.site
        for row in following
    )


def _of_row(row: OpRow) -> Culprit:
    assert row.site is not None
    return Culprit(file=row.site.file, line=row.site.line, detail=row.op, operation=row.op)


def first_drawn(
    places: Sequence[Culprit], values: ValueDifferences, at: Divergence
) -> Culprit | None:
    """The place among several that draws first of those whose numbers have reached the divergence.

    Args:
        places: Lines that drew from generators without a seed.
        values: Where variables diverge when all else is pinned.
        at: Where the runs diverge.
    """
    for line in reaching(list(_differing(values)), at):
        for place in places:
            if (place.file, place.line) == (line.file, line.line):
                return place
    return None


def chosen(places: Sequence[Culprit], values: ValueDifferences, at: Divergence) -> Culprit | None:
    """The place among several whose line is the last of those after which variables differ.

    What is read there must go into more than printed text, where one of them does and it is more
    than text that differs.
    """
    lines = {(line.file, line.line) for line in values.lines}
    known = [place for place in places if (place.file, place.line) in lines]
    if any(map(_is_a_clock_of_the_script, places)):
        # That a line differs which calls a library is no sign that the library's clock has done it.
        known = [place for place in known if not _asks_by_a_library(place)]
    in_text = at.kind in ("printed", "saved")
    used = (place for place in known if in_text or not is_only_printed(place.file, place.line))
    return next(used, known[0] if known else None)
