"""From two runs that diverge to the causes in a verdict, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.causes import evident_cause
from samebits.check.diff.distance import Distance
from samebits.check.diff.verdict import (
    UNEXPLAINED_INPUTS,
    Cause,
    Confidence,
    Divergence,
    Observation,
)
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution import culprit as culprits
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.findings import FoundCause, RefutedError, WentByItselfError
from samebits.check.trials.attribution.first_call import imprecise_first_call
from samebits.check.trials.attribution.left_behind import left_to_the_next, went_by_itself
from samebits.check.trials.attribution.procedure import Case
from samebits.check.trials.attribution.proof import Proof, ask_whether_it_went, comes_back
from samebits.check.trials.attribution.seeded_otherwise import seeded_otherwise
from samebits.check.trials.attribution.situation import Situation, next_situation
from samebits.check.trials.attribution.wording import evidence as in_words
from samebits.core.source.statement import statement_at

_MOST_CAUSES = 4


@dataclass(frozen=True, kw_only=True)
class Attribution:
    """What an attribution came to.

    Attributes:
        causes: In the order in which they show; never empty.
        controls: The pins under which the runs agree; empty where none were found.
        whole: Whether they then agree to the script's own end, not only up to the divergence.
        under_run: Whether runs agree under `samebits run --seed 0`, as far as `whole` says: two of
            them, or one with another one in which less was pinned. None where not tried.
        notes: What a person should know, one line each.
        observations: The comparisons that were made.
        distance: How far the results lie apart where the runs diverge first; None where the runs
            that were made do not tell it.
    """

    causes: tuple[Cause, ...]
    controls: tuple[str, ...] = ()
    whole: bool = False
    under_run: bool | None = None
    notes: tuple[str, ...] = ()
    observations: tuple[Observation, ...] = ()
    distance: Distance | None = None


def attribute(case: Case, situation: Situation) -> Attribution:
    """Explain why two runs diverge, and what has to be pinned for them to agree.

    After each proved cause the runs are made with it pinned; where they diverge later, that is
    explained next.

    Args:
        case: The runs that may be made.
        situation: Where the two runs diverge.
    """
    explained: list[Cause] = []
    controls: list[str] = []
    left: Situation | None = situation
    now = situation
    agreed = whole = False
    while left is not None and len(explained) < _MOST_CAUSES:
        now = left
        one_off = imprecise_first_call(case, now, case.read(now))
        if one_off is not None:
            explained.append(one_off.cause)
            left = one_off.left
            continue
        try:
            ask_whether_it_went(case, now)
            found, finding = _explained(case, now)
        except WentByItselfError:
            by_files = left_to_the_next(now, case.read(now))
            if by_files is not None or not comes_back(case, now):
                explained.append(by_files or went_by_itself(now))
                break
            now = replace(now, comes_and_goes=True)
            found, finding = _explained(case, now)
        explained += found
        left = None
        if finding.confirmed and finding.trial is not None:
            controls += sorted(finding.pins - set(controls))
            left = next_situation(now, finding.trial)
            agreed, whole = left is None, finding.trial.whole
        if case.spent:
            break
    by_address = any(cause.code == "address-order" for cause in explained)
    notes = [*_notes(case, agreed=agreed, controls=controls)]
    return Attribution(
        causes=_once(explained),
        controls=tuple(controls) if agreed else (),
        whole=whole,
        under_run=case.under_control(now, controls) if agreed and not by_address else None,
        notes=tuple([*notes, _MOVES] if by_address else notes),
    )


_MOVES = (
    "samebits run pins where the process starts, not where each object lies: runs may still differ "
    "until the order depends on something else"
)


def _notes(case: Case, *, agreed: bool, controls: Sequence[str]) -> Iterator[str]:
    if controls and not agreed:
        yield (
            f"with {' + '.join(controls)} pinned, the runs agree further and diverge again later"
        )
    if case.spent:
        yield "the budget ran out before the cause was settled: raise it with --budget"


def _explained(case: Case, situation: Situation) -> tuple[list[Cause], FoundCause]:
    """The causes in one situation; what a further run has refuted is left out, and asked anew.

    Raises:
        WentByItselfError: Later runs agree, with nothing more pinned.
    """
    refuted: set[str] = set()
    while True:
        finding, evidence = case.explain(situation, but=refuted)
        try:
            return _causes(case, situation, finding, evidence), finding
        except RefutedError as error:
            refuted.add(str(error))


def _causes(
    case: Case, situation: Situation, finding: FoundCause, evidence: Evidence
) -> list[Cause]:
    if not finding.confirmed:
        return [_unproved(case, situation, finding, evidence)]
    found = []
    for hypothesis in finding.hypotheses:
        place = _named(case, situation, finding, hypothesis, evidence)
        if _is_contradicted(hypothesis, place):
            raise RefutedError(hypothesis.pin)
        place = replace(place, detail=causes.known(hypothesis.code).detail(hypothesis, place))
        if hypothesis.pin == "files":
            place = replace(place, rewritten=tuple(evidence.rewritten))
        found.append(
            Cause(
                code=hypothesis.code,
                detail=place.detail,
                file=place.file,
                line=place.line,
                evidence=in_words(finding, hypothesis, place),
                fix=evident_cause(situation.closer).fix
                if situation.closer.process
                else fix(hypothesis.code, place, finding.pins),
                confidence=_confidence(case, situation, finding, hypothesis, evidence, place),
                observations=case.record.numbers(situation.pinned | finding.pins, hypothesis.pin),
            )
        )
    return found


def _is_contradicted(hypothesis: Hypothesis, place: Culprit) -> bool:
    """Whether the elements of the set that is walked there cannot lie in such an order."""
    if hypothesis.code not in causes.ORDERS or place.walked is None:
        return False
    return hypothesis.code not in causes.orders_by(place.walked.goes_by)


def _confidence(
    case: Case,
    situation: Situation,
    finding: FoundCause,
    hypothesis: Hypothesis,
    evidence: Evidence,
    place: Culprit,
) -> Confidence:
    """How firmly a cause stands; an order is not proved at a line where nothing has one."""
    confidence = Proof(case, situation, finding, hypothesis).confidence(evidence)
    walks_nothing = place.walked is None and statement_at(place.file, place.line) is not None
    return "likely" if hypothesis.code in causes.ORDERS and walks_nothing else confidence


def _named(
    case: Case,
    situation: Situation,
    finding: FoundCause,
    hypothesis: Hypothesis,
    evidence: Evidence,
) -> Culprit:
    """The line to blame, as near to where the culprit was made as it can be told."""
    at_divergence = culprits.of_divergence(situation.closer)
    if situation.closer.process:  # what happens in there is in no ledger of the script's own
        return replace(at_divergence, detail=hypothesis.detail)
    if hypothesis.code == "nondeterministic-op":
        return replace(at_divergence, detail=hypothesis.detail)
    if hypothesis.code == "uninitialized-memory" and evidence.flags & Flag.READS_UNWRITTEN:
        for side, trace in enumerate(situation.closer_traces):
            place = culprits.of_allocation(situation.closer, trace, side)
            if place is not None:
                return place
    places = culprits.from_ledger(hypothesis, evidence)
    if len(places) == 1 and causes.known(hypothesis.code).ledger_names_the_line:
        return places[0]
    if hypothesis.code in causes.ORDERS and case.orders is not None:
        known = culprits.of_order(case.orders, situation.closer)
        if (
            known is not None
            and known.walked is not None
            and not _is_contradicted(hypothesis, known)
        ):
            return known
    values = case.let_go(situation, finding, hypothesis, follow=True)
    if values is not None and hypothesis.code == "thread-timing":
        place = culprits.where_it_arrives(values, places)
        if place is not None:
            return place
    elif values is not None:
        known = culprits.chosen(places, values)
        if known is None and hypothesis.code in causes.ORDERS:
            known = culprits.of_order(values, situation.closer)
        known = known or culprits.of_values(values)
        if known is not None:
            return known
    if places:
        return places[0]
    seeded = [entry for entry in evidence.other_seeds if entry.place is not None]
    return culprits.of_entry(seeded[0]) if seeded else at_divergence


def _unproved(case: Case, situation: Situation, finding: FoundCause, evidence: Evidence) -> Cause:
    """What the runs show by themselves, where no counterfactual run has explained it."""
    found = situation.closer
    evident = evident_cause(found)
    other_flow = found.kind == "inserted" or (found.kind == "step" and found.op == "steps")
    concurrent = evidence.of("thread", "process")
    if other_flow and not case.spent:
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
    if case.spent and told:
        return _likely(told[0], situation, evidence)
    if found.detail == UNEXPLAINED_INPUTS and concurrent:
        hypothesis = next(s for s in finding.hypotheses if s.pin == "thread-timing")
        return _likely(hypothesis, situation, evidence)
    seeded = None if found.process else seeded_otherwise(evidence)
    if seeded is not None:
        return seeded
    if evident.code in ("control-flow", "data-changed"):
        return evident
    advice = _BEYOND if case.tried and not found.process else evident.fix
    evidence_so_far = _gathered(case, found)
    return replace(evident, code="unknown", detail=found.op, evidence=evidence_so_far, fix=advice)


_BEYOND = (
    "Look at what cannot be pinned: the network, another program, a C library that asks the system "
    "itself, a rare race. samebits check --vary unwatched says whether the script behaves "
    "differently because it is watched."
)


def _flow(case: Case, situation: Situation, finding: FoundCause) -> Cause | None:
    """Control flow: with everything pinned the runs go different ways after the same line."""
    everything = case.everything(finding, situation)
    try:
        _, values = case.laboratory.let_go(
            everything, everything, situation.closer_scope, follow=True
        )
    except OutOfRunsError:
        case.spent = True
        return None
    place = culprits.of_flow(values)
    if place is None:
        return None
    return Cause(
        code="control-flow",
        detail=place.variable,
        file=place.file,
        line=place.line,
        evidence=f"With {len(everything.pinned)} things pinned, two runs still take different "
        f"paths after this line: {place.detail}.",
        fix=fix("control-flow", place, frozenset()),
        confidence="proved" if values.flow is not None else "likely",
    )


def _likely(hypothesis: Hypothesis, situation: Situation, evidence: Evidence) -> Cause:
    """The strongest hypothesis, where nothing could be proved."""
    places = culprits.from_ledger(hypothesis, evidence)
    place = places[0] if places else culprits.of_divergence(situation.closer)
    return Cause(
        code=hypothesis.code,
        detail=causes.known(hypothesis.code).detail(hypothesis, place),
        file=place.file,
        line=place.line,
        evidence=in_words(FoundCause(hypotheses=(hypothesis,), confirmed=False), hypothesis, place),
        fix=fix(hypothesis.code, place, frozenset()),
        confidence="likely",
    )


def _gathered(case: Case, found: Divergence) -> str:
    tried = sorted(case.tried)
    detail = found.detail[:1].upper() + found.detail[1:]
    if not tried:
        return f"{detail}."
    return f"{detail}. The runs diverge all the same with {', '.join(tried)} pinned."


def _once(explained: Sequence[Cause]) -> tuple[Cause, ...]:
    """Each cause once: the same line may show in several situations."""
    kept: dict[tuple[str, str | None, int | None], Cause] = {}
    for cause in explained:
        kept.setdefault((cause.code, cause.file, cause.line), cause)
    return tuple(kept.values())
