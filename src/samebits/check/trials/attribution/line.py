"""The line to blame for a cause: as near to where the culprit was made as it can be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from samebits.check import causes
from samebits.check.causes.answers import answered_otherwise
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hand_overs import handed_over
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.pace import asks_for_a_file_time
from samebits.check.causes.shared_generators import drawn_for_pauses, drawn_in_turns
from samebits.check.causes.writing.only_printed import is_only_printed, only_tells_the_time
from samebits.check.diff.ledger_pairs import makes_temporary_name
from samebits.check.diff.values import ValueDifferences
from samebits.check.trace.codes import Flag
from samebits.check.trials.attribution import (
    culprit,
    culprit_by_values,
    culprit_in_ledger,
    culprit_in_memory,
)
from samebits.check.trials.attribution.address_in_text import address_in_text, digested_text
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.deadlines import only_deadline
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.given_ports import put_in_order, where_ports_are_given
from samebits.check.trials.attribution.shared_by_tasks import generator_made_for_tasks
from samebits.check.trials.attribution.shared_values import read_while_others_write
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.where_it_arrives import (
    collected_as_ready,
    where_it_arrives,
)
from samebits.core.source.statement import statement_at, statements_in


def line_to_blame(
    case: Case,
    situation: Situation,
    finding: FoundCause,
    hypothesis: Hypothesis,
    evidence: Evidence,
) -> Culprit:
    """The line to blame, as near to where the culprit was made as it can be told."""
    at_divergence = culprit.of_divergence(situation.closer)
    if situation.closer.is_unrecorded:
        return replace(at_divergence, detail=hypothesis.detail)  # nothing is recorded of it
    if hypothesis.code == "nondeterministic-op":
        return replace(at_divergence, detail=hypothesis.detail)
    if hypothesis.code == "uninitialized-memory" and evidence.flags & Flag.READS_UNWRITTEN:
        for side, run in enumerate(situation.closer_traces):
            place = culprit_in_memory.of_allocation(situation.closer, run, side)
            if place is not None:
                return place
    places = culprit_in_ledger.from_ledger(hypothesis, evidence)
    of_the_ledger = causes.known(hypothesis.code).ledger_names_the_line
    # Whichever line had a name drawn, it is the digest of a name that goes on.
    of_names = bool(hypothesis.entries) and all(map(makes_temporary_name, hypothesis.entries))
    digested = evidence.digested if of_names and hypothesis.code == "entropy" else ()
    by_name = culprit_in_ledger.seeded_by_a_name(evidence, digested)
    if by_name is not None:
        return by_name
    settled = of_the_ledger and not digested and not _may_be_beside(hypothesis, evidence)
    if hypothesis.code == "address-order" and case.orders is not None:
        seeds = any(entry.differs for entry in evidence.other_seeds)
        text = address_in_text(case.orders, evidence)
        text = text or (digested_text(case.orders) if seeds else None)
        if text is not None:
            return text
    if hypothesis.pin == "clock" and _has_no_part(places, evidence):
        packed = culprit_in_ledger.archive(places, evidence)
        if packed is not None:
            return packed
    if hypothesis.pin == "clock":
        alarm = culprit_in_ledger.alarm(places, evidence)
        if alarm is not None:
            return alarm
    if len(places) == 1 and (places[0].seeded or settled):
        return places[0]
    if hypothesis.code in causes.ORDERS and case.orders is not None:
        known = culprit_by_values.of_order(case.orders, situation.closer)
        if (
            known is not None
            and known.walked is not None
            and not is_contradicted(hypothesis, known)
        ):
            return known
    answer = answered_otherwise(evidence) if hypothesis.code in causes.RACES else None
    if answer is not None:
        return culprit.of_entry(answer)
    if hypothesis.code in causes.RACES:
        before = drawn_for_pauses(evidence) or handed_over(evidence)
        if before is not None:
            return culprit.of_entry(before)
    if hypothesis.code == "thread-timing":
        generator = drawn_in_turns(evidence)
        if generator is not None:
            return culprit.of_entry(generator)
    if hypothesis.code in causes.RACES and evidence.starts and places:
        deadline = only_deadline(evidence)
        if deadline is not None:
            return deadline
        # What another process does goes by when this line has started the others.
        return collected_as_ready(places[0]) or places[0]
    if hypothesis.code in causes.RACES:
        shared = generator_made_for_tasks(evidence) or read_while_others_write(evidence)
        if shared is not None:
            return shared
    values = case.let_go(situation, finding, hypothesis, follow=True)
    if values is not None and hypothesis.code in causes.RACES:
        place = where_it_arrives(values, places, situation.closer)
        if place is None or not place.variable:
            place = only_deadline(evidence) or place
        if place is not None:
            return place
    elif values is not None:
        known = None
        if hypothesis.pin == "seeds":
            known = culprit_by_values.first_drawn(places, values, situation.closer)
        if hypothesis.code == "entropy":
            known = _by_a_port(case, situation, finding, places, values)
        known = known or culprit_by_values.on_a_line_of(digested, values)
        known = known or culprit_by_values.chosen(places, values, situation.closer)
        if known is None and hypothesis.pin == "clock":
            known = _archive(values, places, evidence)
        if known is None and hypothesis.pin == "memory":
            known = culprit_by_values.of_unwritten(values)
        if known is None and hypothesis.pin == "files":
            # A run that finds what another has left may count it as well, which reaches nothing.
            known = culprit_by_values.of_content(values, situation.closer)
        if known is None and hypothesis.code == "address-order":
            known = address_in_text(values, evidence)
        if known is None and hypothesis.code in causes.ORDERS:
            known = culprit_by_values.of_order(values, situation.closer)
        if known is None and not (hypothesis.pin == "seeds" and places):
            # What a generator holds shows in no variable; the ledger knows where it was made.
            known = culprit_by_values.of_values(values)
        if known is not None:
            return known
    if len(digested) == 1:
        file, line = digested[0]
        return Culprit(file=file, line=line, by_source=True)
    if places:
        return places[0]
    seeded = [entry for entry in evidence.other_seeds if entry.place is not None]
    return culprit.of_entry(seeded[0]) if seeded else at_divergence


def _by_a_port(
    case: Case,
    situation: Situation,
    finding: FoundCause,
    places: Sequence[Culprit],
    values: ValueDifferences,
) -> Culprit | None:
    """What goes by a port that the system has chosen, where nothing else drawn explains it."""
    given = where_ports_are_given(places)
    place = put_in_order(places, values)
    if len(given) == len(places):
        return place or culprit_by_values.chosen(given, values, situation.closer) or given[0]
    if place is None:
        return None
    # A key is drawn for a server as well: with the ports alone pinned, that shows.
    lines = [(one.file, one.line) for one in given if one.file is not None and one.line is not None]
    agrees = case.agrees_with_lines_pinned(situation, finding, "entropy", lines)
    # Where that was not tried, an order of addresses is likelier than one of keys.
    return None if agrees is False else place


def _archive(
    values: ValueDifferences, places: Sequence[Culprit], evidence: Evidence
) -> Culprit | None:
    """Where an archive is written, unless the first line that differs names the time of a file."""
    first = culprit_by_values.of_values(values)
    statement = None if first is None else statement_at(first.file, first.line)
    if statement is not None and asks_for_a_file_time(statement):
        return None
    return culprit_in_ledger.archive(places, evidence)


def _has_no_part(places: Sequence[Culprit], evidence: Evidence) -> bool:
    """Whether the clock was read, and at each line for text and for numbers named for time.

    Where a seed differs it may be made of such a text, or of a file's time: then what is read may
    only be printed, and no file is asked.
    """
    told = is_only_printed if evidence.other_seeds else only_tells_the_time
    asked = (place.entry is not None and told(place.file, place.line) for place in places)
    if not places or not all(asked):
        return False
    return not evidence.other_seeds or not any(
        map(asks_for_a_file_time, chain.from_iterable(map(statements_in, evidence.sources)))
    )


def _may_be_beside(hypothesis: Hypothesis, evidence: Evidence) -> bool:
    """Whether a seed differs that is not seen to be made of the time or the name that was read.

    What was read then may have nothing to do with it: a file's time may be in it, or a name.
    """
    of_what_is_read = hypothesis.code in ("clock", "entropy")
    return of_what_is_read and any(entry.origin is None for entry in evidence.other_seeds)


def is_contradicted(hypothesis: Hypothesis, place: Culprit) -> bool:
    """Whether the elements of the set that is walked there cannot lie in such an order."""
    if hypothesis.code not in causes.ORDERS or place.walked is None:
        return False
    return hypothesis.code not in causes.orders_by(place.walked.goes_by)
