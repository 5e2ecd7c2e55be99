"""What is said of a divergence that no counterfactual run has explained."""

from __future__ import annotations

from dataclasses import replace

from samebits.check import causes
from samebits.check.causes.answers import answered_otherwise
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.evident_cause import evident_cause
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.on_the_line import read_on_the_line
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause, Divergence
from samebits.check.trials.attribution import culprit, culprit_by_values, culprit_in_ledger
from samebits.check.trials.attribution.address_in_text import cause_by_address
from samebits.check.trials.attribution.between_ranks import from_other_ranks
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.by_programs import by_programs
from samebits.check.trials.attribution.by_requests import by_requests
from samebits.check.trials.attribution.by_walk import by_walk
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.drawn_more_often import drawn_more_often
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.from_another_process import from_another_process
from samebits.check.trials.attribution.loader_workers import batches_out_of_order
from samebits.check.trials.attribution.seeded_otherwise import seeded_otherwise
from samebits.check.trials.attribution.shared_by_coroutines import generator_of_all_coroutines
from samebits.check.trials.attribution.shared_by_tasks import (
    drawn_unequally,
    generator_of_all_tasks,
    generator_that_tasks_share,
    unseeded_in_tasks,
)
from samebits.check.trials.attribution.shared_files import file_that_workers_share
from samebits.check.trials.attribution.short_reads import read_in_parts
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.trial import Trial
from samebits.check.trials.attribution.unexplained_data import where_data_begin_to_differ
from samebits.check.trials.attribution.weak_collections import walked_while_it_empties
from samebits.check.trials.attribution.weights_in_training import weights_in_training
from samebits.check.trials.attribution.wording import evidence as in_words
from samebits.check.trials.attribution.wording import value_in_words
from samebits.check.trials.source_on_the_line import cause_of_entry

_BEYOND = (
    "Look at what cannot be pinned: the network, another program, a C library that asks the system "
    "itself, a rare race. samebits check --vary unwatched says whether the script behaves "
    "differently because it is watched."
)


def unproved(case: Case, situation: Situation, finding: FoundCause, evidence: Evidence) -> Cause:
    """What the runs show by themselves, where no counterfactual run has explained it."""
    found = situation.closer
    evident = evident_cause(found)
    if evident.code == "nondeterministic-op":
        return evident  # the catalog knows it
    walk = by_walk(case.orders, situation)
    if evidence.is_another_way and walk is None and not case.spent:
        flow = _flow(case, situation, finding)
        if flow is not None:
            return flow
    # Where pairs agree by themselves now and then, the unlikely was tried as well.
    told = [
        hypothesis
        for hypothesis in finding.hypotheses
        if hypothesis.pin not in case.refuted
        and (hypothesis.standing >= Standing.POSSIBLE or not situation.comes_and_goes)
    ]
    timing = next((one for one in finding.hypotheses if one.code in causes.RACES), None)
    arrived = found.data or found.detail == PLAIN_ARGUMENTS
    shared = generator_of_all_tasks(evidence) if arrived and timing is not None else None
    if shared is not None:
        return drawn_unequally(shared)  # both runs' ledgers show it, whatever else was tried
    seen = walk or generator_of_all_coroutines(evidence)
    if seen is not None:
        return seen
    written = from_another_process(situation, evidence)
    programs = by_programs(situation, evidence)
    other = written or programs
    answer = answered_otherwise(evidence) if timing is not None and other is None else None
    if timing is not None and answer is not None:
        return _asked(answer, timing)
    handed = weights_in_training(evidence) if timing is not None and other is None else None
    if handed is not None:
        return handed
    # Where the budget ends first, only what the runs have noted and may well matter is named.
    noted = (
        one
        for one in told
        if one.standing > Standing.FAINT and (one.entries or one.standing >= Standing.NOTED)
    )
    if case.spent and (left := next(noted, None)) is not None:
        return _likely(left, situation, evidence)
    if found.has_unexplained_inputs and timing is not None:
        return _likely(timing, situation, evidence)
    known = written or from_other_ranks(situation) or by_requests(situation, evidence) or programs
    if known is None and not found.is_unrecorded:
        known = cause_by_address(case.orders, evidence, alone=case.by_address) or seeded_otherwise(
            evidence
        )
    if known is not None:
        return known
    if finding.everything is not None and finding.hypotheses:
        # Needed, as single runs have shown; what else is needed beside it they have not.
        needed = max(finding.hypotheses, key=lambda hypothesis: hypothesis.standing)
        return _likely(needed, situation, evidence, everything=finding.everything)
    in_workers = unseeded_in_tasks(evidence) or batches_out_of_order(evidence)
    if in_workers is not None:
        return in_workers
    by_pace = (
        generator_that_tasks_share(situation, evidence, as_many=False)
        or file_that_workers_share(situation, evidence, nothing_else=True)
        or read_in_parts(situation, evidence, nothing_else=True)
        or walked_while_it_empties(situation, evidence)
    )
    if by_pace is not None:
        return by_pace
    more_often = drawn_more_often(evidence)
    if more_often is not None:
        return more_often
    if evident.code == "data-changed" and not case.spent and not found.is_unrecorded:
        evident = where_data_begin_to_differ(case, situation, finding, evidence) or evident
    if evident.code in ("control-flow", "data-changed"):
        return evident
    read = read_on_the_line(found, evidence.entries)
    if read is not None:
        return cause_of_entry(read, found)
    advice = _BEYOND if case.tried and not found.is_unrecorded else evident.fix
    evidence_so_far = _gathered(case, found)
    return replace(evident, code="unknown", detail=found.op, evidence=evidence_so_far, fix=advice)


def _flow(case: Case, situation: Situation, finding: FoundCause) -> Cause | None:
    """Control flow: with everything pinned the runs go different ways after the same line."""
    beside_others = bool(case.read(situation).of("thread", "process", "timer"))
    everything = case.everything(finding, situation)
    try:
        _, values = case.trials.let_go(everything, everything, situation.closer_scope, follow=True)
    except OutOfRunsError:
        case.spent = True
        return None
    place = culprit_by_values.of_flow(values)
    if place is None:
        return None
    seen = (
        f"two runs still take different paths after this line: {place.detail}"
        if values.flow is not None
        else value_in_words(place)
    )
    return Cause(
        code="control-flow",
        detail=place.variable,
        file=place.file,
        line=place.line,
        evidence=f"With {len(everything.pinned)} things pinned, {seen}.",
        fix=fix("control-flow", place, frozenset()),
        # What threads do beside each other is pinned as far as each ends within its turn.
        confidence="likely" if values.flow is None or beside_others else "proved",
    )


def _likely(
    hypothesis: Hypothesis,
    situation: Situation,
    evidence: Evidence,
    *,
    everything: Trial | None = None,
) -> Cause:
    """The strongest hypothesis, where nothing could be proved."""
    finding = FoundCause(hypotheses=(hypothesis,), confirmed=False, everything=everything)
    places = culprit_in_ledger.from_ledger(hypothesis, evidence)
    place = places[0] if places else culprit.of_divergence(situation.closer)
    return Cause(
        code=hypothesis.code,
        detail=causes.known(hypothesis.code).detail(hypothesis, place),
        file=place.file,
        line=place.line,
        evidence=in_words(finding, hypothesis, place),
        fix=fix(hypothesis.code, place, frozenset()),
        confidence="likely",
    )


def _asked(answer: LedgerPair, timing: Hypothesis) -> Cause:
    """A line that asked whether something was ready; no pin decides what it is told."""
    place = culprit.of_entry(answer)
    finding = FoundCause(hypotheses=(timing,), confirmed=False)
    return Cause(
        code=timing.code,
        detail="",
        file=place.file,
        line=place.line,
        evidence=in_words(finding, timing, place),
        fix=fix(timing.code, place, frozenset()),
        confidence="likely",
    )


def _gathered(case: Case, found: Divergence) -> str:
    tried = sorted(case.tried)
    detail = found.detail[:1].upper() + found.detail[1:]
    if not tried or case.spent:  # with all of it pinned two runs may agree: nobody has asked
        return f"{detail}."
    return f"{detail}. The runs still diverge with {', '.join(tried)} pinned."
