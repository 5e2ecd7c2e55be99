"""The line to blame where variables were followed: after which of them the runs part."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from samebits.check.causes.culprit import Culprit, WalkedSet
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.causes.writing.set_order import walked_in
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.diff.verdict import Divergence
from samebits.check.trials.attribution.culprit import of_an_archive, of_clock_of_a_library
from samebits.check.trials.attribution.decisive_line import decisive, reaching
from samebits.check.trials.attribution.walked_sets import walked_set, walks_no_set
from samebits.core.source.allocations import hands_out_memory
from samebits.core.source.statement import (
    branch_at,
    enclosing_function,
    loop_around,
    names_at,
    statement_at,
    stored_by_a_call,
)
from samebits.errors import TraceError


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


def of_unwritten(values: ValueDifferences) -> Culprit | None:
    """The line that hands out memory which differs, else the first after which anything does.

    What a call has filled before it gave anything back comes after what reached something.
    """
    lines = [line for line in that_matter(values) if hands_out_memory(line.file, line.line)]
    line = next((line for line in lines if not line.idle), next(iter(lines), None))
    return of_values(values) if line is None else _of_line(line)


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
    hands_on = next((line for line in lines if not line.idle), None)
    if hands_on is None or not any(line.idle for line in lines):
        return None
    # What makes an object gives back nothing, and what it has stored there is read later.
    way = reaching(lines, replace(at, file=hands_on.file, line=hands_on.line))
    return _of_line(next(iter(way), hands_on))


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


def _is_a_clock_of_the_script(place: Culprit) -> bool:
    entry = place.entry
    own = entry is not None and entry.row.source == "clock" and not of_clock_of_a_library(place)
    return own and not is_only_printed(place.file, place.line)


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
        known = [place for place in known if not of_clock_of_a_library(place)]
    known = [place for place in known if not _only_takes_over(place, values, at)]
    in_text = at.kind in ("printed", "saved")
    used = [place for place in known if in_text or not is_only_printed(place.file, place.line)]
    used.sort(key=lambda place: _is_kept_for_later(place, values) or _is_unread(place, values))
    way = {(line.file, line.line) for line in reaching(list(_differing(values)), at)}
    # What is only printed may still be it where no way is known.
    printed = [place for place in known if not way or (place.file, place.line) in way]
    place = next(iter(used or printed), None)
    if place is None:
        return None
    # No variable need differ after the line that writes an archive: what is read of the file does.
    archive = next(filter(of_an_archive, places), None)
    if archive is not None and way and (place.file, place.line) not in way:
        return archive
    return _earlier_on_the_way(place, values, at) or place


def _is_kept_for_later(place: Culprit, values: ValueDifferences) -> bool:
    """Whether a line stores plain names that no other line has read by then, as a start time."""
    stored = {
        name
        for line in values.lines
        if (line.file, line.line) == (place.file, place.line)
        for name in (line.names if line.role == "variable" else (".",))
    }
    if not stored or not all(map(str.isidentifier, stored)):
        return False
    function = enclosing_function(place.file, place.line)
    return function is not None and not any(
        line.file == place.file
        and line.line != place.line
        and enclosing_function(line.file, line.line) == function
        and not stored.isdisjoint(names_at(line.file, line.line))
        for line in values.lines
    )


def _is_unread(place: Culprit, values: ValueDifferences) -> bool:
    """Whether a line stores attributes of an object that no other line has read by then.

    As `self.spent += time.perf_counter() - began` does, of which a mean is printed at the end.
    """
    statement = statement_at(place.file, place.line)
    stored = set() if statement is None else _attributes_stored(statement.node)
    if not stored:
        return False
    others = {(line.file, line.line) for line in values.lines} - {(place.file, place.line)}
    return not any(stored & _attributes_read(file, line) for file, line in others)


def _attributes_stored(node: ast.stmt) -> set[str]:
    """The attributes that a statement stores, where it stores nothing else."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    parts = [part for target in targets for part in getattr(target, "elts", [target])]
    if not all(isinstance(part, ast.Attribute) for part in parts):
        return set()
    return {part.attr for part in parts if isinstance(part, ast.Attribute)}


def _attributes_read(file: str, line: int) -> set[str]:
    statement = statement_at(file, line)
    nodes = () if statement is None else statement.expressions()
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


def _only_takes_over(place: Culprit, values: ValueDifferences, at: Divergence) -> bool:
    """Whether what a line reads differs before, where a library asks there how long it takes."""
    if not of_clock_of_a_library(place) or of_an_archive(place):
        return False
    before = list(
        takewhile(lambda line: (line.file, line.line) != (place.file, place.line), values.lines)
    )
    return bool(reaching(before, replace(at, file=place.file, line=place.line)))


def on_a_line_of(places: Collection[tuple[str, int]], values: ValueDifferences) -> Culprit | None:
    """The first of some lines after which a variable, or what is returned there, differs.

    Args:
        places: Files and lines.
        values: Where variables diverge.
    """
    lines = (line for line in values.lines if (line.file, line.line) in places)
    return next(map(_of_line, lines), None)


def _earlier_on_the_way(place: Culprit, values: ValueDifferences, at: Divergence) -> Culprit | None:
    """What differed earlier and reaches the divergence, where a place that does not came later."""
    lines = list(_differing(values))
    way = reaching(lines, at)
    here = (place.file, place.line)
    if not way or here in [(line.file, line.line) for line in way]:
        return None
    order = [(line.file, line.line) for line in lines]
    first = (way[0].file, way[0].line)
    later = here in order and order.index(first) < order.index(here)
    return _of_line(way[0]) if later else None
