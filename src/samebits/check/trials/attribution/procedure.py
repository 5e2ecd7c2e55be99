"""Attribution: from two runs that diverge to the causes, proved where they can be.

docs/how-it-works/attribution.md draws the procedure, and names the function behind each box; they
stand here in that order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution.address_in_text import cause_by_address
from samebits.check.trials.attribution.attributed import Attribution
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.by_walk import by_walk
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.confidence import confidence
from samebits.check.trials.attribution.details import with_details
from samebits.check.trials.attribution.findings import FoundCause, RefutedError, WentByItselfError
from samebits.check.trials.attribution.first_call import imprecise_first_call
from samebits.check.trials.attribution.further_unseeded import (
    further_unseeded,
    note_of_unseeded,
)
from samebits.check.trials.attribution.in_another_process import (
    has_advice_of_its_own,
    in_another_process,
)
from samebits.check.trials.attribution.interventions import (
    CHANGES_RESULTS,
    NOW_AND_THEN,
    Interventions,
    with_free_names,
    with_needed,
)
from samebits.check.trials.attribution.left_behind import (
    left_to_the_next,
    note_of,
    went_by_itself,
)
from samebits.check.trials.attribution.line import is_contradicted, line_to_blame
from samebits.check.trials.attribution.notes import OBJECTS_MOVE, of_limits, of_pins
from samebits.check.trials.attribution.orders import in_turn, is_by_address
from samebits.check.trials.attribution.outcome import came_further, outcome_of
from samebits.check.trials.attribution.proof import comes_back
from samebits.check.trials.attribution.scope import WHOLE
from samebits.check.trials.attribution.shared_by_tasks import unseeded_in_tasks
from samebits.check.trials.attribution.side_effects import (
    names_are_drawn,
    names_differ,
    without_needs_of_names,
)
from samebits.check.trials.attribution.situation import Situation, next_situation
from samebits.check.trials.attribution.tally import Outcome
from samebits.check.trials.attribution.told_by_notes import told_by_notes
from samebits.check.trials.attribution.unproved import unproved
from samebits.check.trials.attribution.weights_in_training import weights_in_training
from samebits.check.trials.attribution.wording import evidence as in_words

_MOST_CAUSES = 4


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
    not_each_time: list[str] = []
    left: Situation | None = situation
    now = situation
    agreed = whole = unexplained = False
    while left is not None and len(explained) < _MOST_CAUSES:
        now = left
        evidence = case.read(now)
        one_off = imprecise_first_call(case, now, evidence)
        if one_off is not None:
            explained.append(one_off.cause)
            left = one_off.left
            continue
        known = told_by_notes(case, now, evidence)
        if known is not None:
            explained.append(known)
            break
        try:
            found, finding = _explained(case, now)
        except WentByItselfError:
            by_files = left_to_the_next(now, evidence)
            if by_files is not None or not comes_back(case, now):
                explained.append(by_files or went_by_itself(now))
                break
            now = replace(now, comes_and_goes=True)
            found, finding = _explained(case, now)
        explained += found
        left = None
        if finding.confirmed and finding.trial is not None:
            controls += sorted(finding.pins - set(controls))
            trial = case.to_the_end(now, finding.trial, finding.pins)
            if not came_further(now, trial):
                # One pair agreed there with this pinned, and the next one did not.
                explained = [*explained[: -len(found)], *_no_longer_proved(found, trial.number)]
                controls, not_each_time = [], sorted(finding.pins)
                break
            left = next_situation(now, trial)
            agreed, whole = left is None, trial.whole
            now = replace(now, scope=WHOLE) if whole else now
        if case.spent or any(_is_held_in_part(cause) for cause in found):
            break
        if left is not None and not case.has_runs_for_another_cause:
            unexplained = True
            break
    by_address = any(cause.code == "address-order" for cause in explained)
    notes = [*of_pins(controls, not_each_time, agreed=agreed, unexplained=unexplained)]
    notes += of_limits(case)
    evidence = case.read(situation)
    left_over = () if _is_by_files(explained) else evidence.left_besides
    if left_over:
        notes.append(note_of(left_over))
    unseeded = None if agreed else note_of_unseeded(evidence.drawn_unseeded, explained)
    if unseeded is not None:
        notes.append(unseeded)
    return Attribution(
        causes=_once(explained),
        controls=tuple(controls) if agreed else (),
        whole=whole,
        under_run=case.under_control(now, controls)
        if agreed and not by_address and not left_over
        else None,
        notes=tuple([*notes, OBJECTS_MOVE] if by_address else notes),
    )


def _explained(case: Case, situation: Situation) -> tuple[list[Cause], FoundCause]:
    """The causes in one situation; what a further run has refuted is not tried alone again.

    It may still be needed beside another one, such as seeds where any worker may take a task.

    Raises:
        WentByItselfError: Later runs agree, with nothing more pinned.
    """
    case.begin(situation)
    alone: set[str] = set()
    refuted: set[str] = set()
    while True:
        finding, evidence = _explain_here(case, situation, but=refuted)
        try:
            return _causes(case, situation, finding, evidence), finding
        except RefutedError as error:
            case.cut_short = False
            by_a_run = str(error) in case.refuted - alone
            (alone if by_a_run else refuted).add(str(error))


def _explain_here(
    case: Case, situation: Situation, *, but: Collection[str] = ()
) -> tuple[FoundCause, Evidence]:
    """Why the runs diverge here: the first explanation that counterfactual runs speak for.

    Args:
        case: The runs that may be made.
        situation: Where they diverge.
        but: Pins that are left out.
    """
    evidence = case.read(situation)
    ranked = [
        hypothesis
        for hypothesis in causes.hypotheses(evidence)
        if hypothesis.pin not in situation.pinned | case.already and hypothesis.pin not in but
    ]
    if situation.comes_and_goes:
        # What was drawn without a seed may decide something in some pairs of runs alone.
        ranked = [h for h in ranked if h.pin in NOW_AND_THEN or h.standing >= Standing.NOTED]
    finding: FoundCause | None = None
    try:
        finding = (
            _operation_does_not_repeat(case, situation, evidence)
            or _one_pin_suffices(case, situation, ranked, evidence)
            or (
                # What was seen needs no search that further runs may lead astray.
                cause_by_address(case.orders, evidence) is None
                and by_walk(case.orders, situation) is None
                and not _tasks_draw_unseeded(case, evidence)
                and _several_pins_suffice(case, situation, ranked)
            )
            or None
        )
    except OutOfRunsError:
        case.spent = True
    finding = finding or FoundCause(hypotheses=tuple(ranked), confirmed=False)
    names = frozenset(s.pin for s in ranked if s.pin in case.usable)
    return replace(finding, could_pin=names, rivals=_rivals(case, finding, ranked)), evidence


def _operation_does_not_repeat(
    case: Case, situation: Situation, evidence: Evidence
) -> FoundCause | None:
    """The operation gave other bits on the same inputs, and does so again in one process."""
    if not evidence.is_on_equal_inputs or situation.closer_scope.row is None:
        return None
    replays = case.trials.replays(Interventions(pinned=situation.pinned), situation.closer_scope)
    if replays is None or not replays.differs:
        return None
    hypothesis = Hypothesis(
        pin="deterministic-algorithms" if replays.settled_by("deterministic") else "threads",
        code="nondeterministic-op",
        detail=replays.op,
        standing=Standing.SHOWN,
    )
    pins: frozenset[str] = frozenset()
    trial = None
    if replays.settled_by("deterministic") or replays.settled_by("one-thread"):
        pins = frozenset({hypothesis.pin}) & frozenset(case.usable)
        trial = case.pair_if_affordable(situation, pins)
    return FoundCause(
        hypotheses=(hypothesis,), confirmed=True, pins=pins, trial=trial, replays=replays
    )


def _tasks_draw_unseeded(case: Case, evidence: Evidence) -> bool:
    """Whether processes draw without a seed what arrives as data, and seeds alone do not help.

    Which of them takes a task goes by timing, so that pinned seeds alone do not keep them still.
    """
    return "seeds" in case.refuted and unseeded_in_tasks(evidence) is not None


def _one_pin_suffices(
    case: Case, situation: Situation, ranked: Sequence[Hypothesis], evidence: Evidence
) -> FoundCause | None:
    """Two runs with one thing pinned agree longer."""
    strong = [
        hypothesis
        for hypothesis in ranked
        if hypothesis.pin in case.usable
        and hypothesis.pin not in case.refuted
        # Nothing else can be tried where single runs tell nothing.
        and (hypothesis.standing >= Standing.POSSIBLE or situation.comes_and_goes)
    ]
    farther = None
    for hypothesis in in_turn(case, situation, ranked, strong, evidence):
        pins = with_needed(hypothesis.pin) | (hypothesis.beside & frozenset(case.usable))
        may_be_files = any(h.pin == "files" for h in strong) and "files" not in case.refuted
        if names_differ(*situation.traces) and not may_be_files:
            # Under a name that is pinned, the second run would find what the first has left. Where
            # that may be the cause itself, it must not be pinned beside another one.
            drawn = names_are_drawn(*situation.traces)
            pins = with_free_names(pins, case.usable, drawn=drawn)
        # A hash seed that is fixed keeps a few objects in order too, as long as nothing moves
        # them: imports walk sets of strings, and that decides where later objects lie.
        shaken = hypothesis.pin == "hash-seed" and any(s.pin == "addresses" for s in strong)
        trial = case.beside_control(situation, pins, shaken=shaken)
        trial = trial or case.pair(situation, pins, shaken=shaken)
        if not trial.usable and "clock" in pins:
            trial = case.uneven(situation, pins) or trial
        if not came_further(situation, trial) or not is_by_address(
            case, situation, trial, hypothesis
        ):
            if trial.usable:
                case.refuted.add(hypothesis.pin)
            if hypothesis.pin == "seeds" and _tasks_draw_unseeded(case, evidence):
                break
            if hypothesis.pin == "addresses" and by_walk(case.orders, situation) is not None:
                # With all else pinned in both, two runs diverged by the orders of sets alone.
                break
            continue
        finding = FoundCause(hypotheses=(hypothesis,), confirmed=True, pins=pins, trial=trial)
        if outcome_of(situation, trial) >= Outcome.FURTHER:
            return finding
        farther = farther or finding  # unless another pin explains more
    return farther


def _several_pins_suffice(
    case: Case, situation: Situation, ranked: Sequence[Hypothesis]
) -> FoundCause | None:
    """Two runs with everything pinned agree longer: then which of it is needed?"""
    if situation.comes_and_goes:
        return None  # single runs tell nothing then
    tried = frozenset(case.tried)
    names = [s.pin for s in ranked if s.pin in case.usable]
    everything = case.pair(situation, frozenset(names))
    if not came_further(situation, everything):
        return None
    confirmed: list[Hypothesis] = []
    # What one run leaves for the next decides what any single run finds; where objects lie changes
    # with anything else that is let go: these have to be asked first, unless pinning the latter has
    # not helped. What only a pair of runs can tell comes last.
    asked_alone = "addresses" in tried
    order = {"files": -1, "addresses": 2 if asked_alone else 0, **dict.fromkeys(CHANGES_RESULTS, 3)}
    ordered = sorted(_one_a_pin(ranked, case.usable), key=lambda s: order.get(s.pin, 1))
    for hypothesis in ordered:
        if not case.makes_a_difference(situation, everything, hypothesis):
            continue
        confirmed.append(hypothesis)
        pins = frozenset().union(*(with_needed(s.pin) for s in confirmed))
        trial = case.pair(situation, pins)
        if came_further(situation, trial):
            return FoundCause(
                hypotheses=without_needs_of_names(confirmed, situation.traces),
                confirmed=True,
                pins=pins,
                trial=trial,
                everything=everything,
            )
        if hypothesis.pin == "files":
            everything = case.pair(situation, frozenset(names), anew=True)
    return FoundCause(
        hypotheses=tuple(confirmed),
        confirmed=False,
        pins=frozenset(names),
        trial=everything,
        everything=everything,
    )


def _one_a_pin(ranked: Iterable[Hypothesis], usable: Sequence[str]) -> list[Hypothesis]:
    """Of hypotheses that one pin would settle, the likeliest; only pins that work here."""
    first: dict[str, Hypothesis] = {}
    for hypothesis in ranked:
        if hypothesis.pin in usable:
            first.setdefault(hypothesis.pin, hypothesis)
    return list(first.values())


def _rivals(
    case: Case, finding: FoundCause, ranked: Sequence[Hypothesis]
) -> tuple[Hypothesis, ...]:
    """Hypotheses that the runs' own notes speak for, that no run has refuted or confirmed."""
    accused = {hypothesis.pin for hypothesis in finding.hypotheses} | finding.pins
    return tuple(
        hypothesis
        for hypothesis in ranked
        if hypothesis.pin not in accused | case.refuted
        and hypothesis.pin in case.usable
        and hypothesis.standing >= Standing.POSSIBLE
        and hypothesis.is_evident
    )


def _causes(
    case: Case, situation: Situation, finding: FoundCause, evidence: Evidence
) -> list[Cause]:
    if not finding.confirmed:
        return [unproved(case, situation, finding, evidence)]
    found = []
    for hypothesis in finding.hypotheses:
        handed = weights_in_training(evidence, hypothesis)
        if handed is not None:
            found.append(handed)
            continue
        place = line_to_blame(case, situation, finding, hypothesis, evidence)
        if is_contradicted(hypothesis, place):
            raise RefutedError(hypothesis.pin)
        place = with_details(place, hypothesis, evidence)
        found.append(
            Cause(
                code=hypothesis.code,
                detail=place.detail,
                file=place.file,
                line=place.line,
                evidence=in_words(finding, hypothesis, place),
                fix=in_another_process(situation, hypothesis, place)
                if has_advice_of_its_own(situation, hypothesis)
                else fix(
                    hypothesis.code,
                    place,
                    finding.pins,
                    further=_further(evidence, hypothesis, place),
                ),
                process=situation.closer.process,
                confidence=confidence(case, situation, finding, hypothesis, evidence, place),
                observations=case.record.numbers(situation.pinned | finding.pins, hypothesis.pin),
            )
        )
    return found


def _further(evidence: Evidence, hypothesis: Hypothesis, place: Culprit) -> list[str]:
    """What the pin of one generator has seeded besides it."""
    of_script = hypothesis.code == "unseeded-rng"
    return further_unseeded(evidence.without_seed, place) if of_script else []


def _no_longer_proved(found: Sequence[Cause], number: int) -> list[Cause]:
    """The same causes as likely: a pair with them pinned diverged there all the same."""
    return [
        replace(cause, confidence="likely", observations=(*cause.observations, number))
        for cause in found
    ]


def _is_held_in_part(cause: Cause) -> bool:
    """Whether pins keep it still only as far as all that allocates before it repeats.

    What differs later, with these pinned, may be the same order over again.
    """
    return cause.code == "address-order" and cause.confidence != "proved"


def _is_by_files(explained: Sequence[Cause]) -> bool:
    return any(cause.code == "data-changed" and cause.detail == "files" for cause in explained)


def _once(explained: Sequence[Cause]) -> tuple[Cause, ...]:
    """Each cause once: the same line may show in several situations."""
    kept: dict[tuple[str, str | None, int | None], Cause] = {}
    for cause in explained:
        kept.setdefault((cause.code, cause.file, cause.line), cause)
    return tuple(kept.values())
