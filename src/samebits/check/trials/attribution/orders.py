"""Orders of hashes and of addresses: which of the two to pin, told before either is pinned."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.diff.position import moved_on
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution import culprit_by_values
from samebits.check.trials.attribution.address_in_text import (
    address_in_text,
    digested_text,
    hashed_address,
    text_of_object,
)
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.interventions import (
    CHANGES_RESULTS,
    Interventions,
    with_free_names,
    with_needed,
)
from samebits.check.trials.attribution.outcome import came_further
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.source_lines import sources_of
from samebits.check.trials.attribution.tally import Outcome
from samebits.check.trials.attribution.trial import Trial
from samebits.check.trials.attribution.walked_sets import script_walks_a_set
from samebits.core.source.digests import digests_texts_of_objects
from samebits.core.source.statement import statement_at

_READ_BY_MANY = frozenset({"clock", "entropy"})

_HASHES = frozenset({"address", "hash"})
"""What the ledger calls a `hash()` that is new in each run."""

_ALONE = 4
"""Hypotheses that are pinned alone before everything is pinned at once."""


def in_turn(
    case: Case,
    situation: Situation,
    ranked: Sequence[Hypothesis],
    strong: Sequence[Hypothesis],
    evidence: Evidence,
) -> Iterator[Hypothesis]:
    """The first few hypotheses one after another; of two orders the one that the set can have.

    None is left where a seed was seen to be made of an address: pins would not tell more.
    """
    waiting, asked = list(_first_few(strong)), situation.comes_and_goes
    first = situation.closer.data and (
        _is_asked_first(waiting, situation) or _digests_texts(situation)
    )
    while waiting:
        orders = [hypothesis for hypothesis in waiting if hypothesis.code in causes.ORDERS]
        unclear = len(orders) > 1 and not any(hypothesis.entries for hypothesis in orders)
        if (first or waiting[0] in orders) and unclear and not asked:
            asked = True
            possible = _possible_orders(case, situation, ranked)
            if _goes_by_address(case, situation, evidence):
                return
            orders = [hypothesis for hypothesis in orders if hypothesis.code in possible]
            rest = [hypothesis for hypothesis in waiting if hypothesis.code not in causes.ORDERS]
            # Without, two runs have agreed: it is left to the runs with everything pinned.
            waiting = [*orders, *rest]
        if waiting:
            yield waiting.pop(0)


def _first_few(strong: Sequence[Hypothesis]) -> Sequence[Hypothesis]:
    """Those that are pinned alone; the two orders count as one, for one pair tells them apart."""
    few = strong[:_ALONE]
    orders = [hypothesis for hypothesis in strong if hypothesis.code in causes.ORDERS]
    if not few or few[-1] not in orders:
        return few
    return [*few, *(hypothesis for hypothesis in orders if hypothesis not in few)]


def _is_asked_first(strong: Sequence[Hypothesis], situation: Situation) -> bool:
    """Whether nothing comes before the orders but what nearly every script reads.

    One pair of runs tells whether data go by an order at all, and at which line. That a time or a
    process number was read, and not only printed, speaks for little; and so does that threads were
    started, where the script itself walks a set somewhere.
    """
    ahead = list(
        itertools.takewhile(lambda hypothesis: hypothesis.code not in causes.ORDERS, strong)
    )
    if any(hypothesis.standing >= Standing.NOTED for hypothesis in ahead):
        return False
    others = {hypothesis.code for hypothesis in ahead} - _READ_BY_MANY
    return not others or (others <= set(causes.RACES) and script_walks_a_set(situation.traces[0]))


def _digests_texts(situation: Situation) -> bool:
    """Whether the script digests texts of objects, which may hold addresses or a set's order."""
    return any(map(digests_texts_of_objects, sources_of(situation.traces[0])))


def _possible_orders(
    case: Case, situation: Situation, ranked: Sequence[Hypothesis]
) -> tuple[str, ...]:
    """What the order can go by, told by the elements of the set that is walked.

    Two runs follow variables, with everything pinned in one and every order free in the other.

    Returns:
        Codes of causes; none where the two agree longer, so that it hardly is an order.
    """
    if case.orders is None:
        names = frozenset(s.pin for s in ranked if s.pin in case.usable) - CHANGES_RESULTS
        # A folder that one of them leaves under a pinned name would be found by all later runs.
        still = Interventions(pinned=situation.pinned | with_free_names(names, case.usable))
        free = replace(still, pinned=still.pinned - {"addresses", "hash-seed"}, shaken=True)
        trial, values = case.trials.let_go(still, free, situation.closer_scope, follow=True)
        if not trial.usable:
            return causes.ORDERS
        case.made.keep_still(trial, still.pinned, situation.closer_scope)
        further = moved_on(situation.closer, trial.divergence)
        if further and script_walks_a_set(situation.traces[0]):
            # A few elements may have come in the same order by luck.
            scope = situation.closer_scope
            trial, values = case.trials.let_go(still, free, scope, follow=True, again=True)
            place = culprit_by_values.of_order(values, situation.closer)
            walks = place is not None and place.walked is not None
            further = not (trial.usable and walks) or moved_on(situation.closer, trial.divergence)
        if further:
            return ()
        case.orders, case.still = values, still
        case.record.add(free.pinned, Outcome.DIVERGED, trial.number)
        if _by_elements(case, situation) == ("hash-order",):
            # Where these lie in memory decides nothing: it is the hash seed that was let go.
            case.record.add_let_go("hash-seed", further=False, number=trial.number)
    return _by_elements(case, situation)


def _goes_by_address(case: Case, situation: Situation, evidence: Evidence) -> bool:
    """Whether a seed was seen to be made of an address.

    A text that holds one may be another one than the seed is made of, and of a text whose digest
    is taken nobody has seen what it holds, which may be the order of a set: one run more has
    addresses let go alone.

    Args:
        case: The runs that may be made.
        situation: Where the runs diverge.
        evidence: What they have noted up to there.

    Raises:
        OutOfRunsError: The budget holds no run more.
    """
    if (
        case.orders is None
        or case.still is None
        or not any(entry.differs for entry in evidence.other_seeds)
    ):
        return False
    if hashed_address(case.orders, evidence) is not None:
        return True
    if not _may_hold_an_address(case.orders, evidence):
        return False
    free = replace(case.still, pinned=case.still.pinned - {"addresses"}, shaken=True)
    trial, values = case.trials.let_go(case.still, free, situation.closer_scope, follow=True)
    further = moved_on(situation.closer, trial.divergence)
    if not trial.usable or further or not _may_hold_an_address(values, evidence):
        return False
    case.record.add(free.pinned, Outcome.DIVERGED, trial.number)
    case.orders, case.by_address = values, True
    return True


def _may_hold_an_address(values: ValueDifferences, evidence: Evidence) -> bool:
    known = address_in_text(values, evidence) or digested_text(values) or text_of_object(values)
    return known is not None


def _by_elements(case: Case, situation: Situation) -> tuple[str, ...]:
    """What an order can go by that has the elements of the set which is walked."""
    assert case.orders is not None
    place = culprit_by_values.of_order(case.orders, situation.closer)
    walked = None if place is None else place.walked
    return causes.ORDERS if walked is None else causes.orders_by(walked.goes_by)


def has_order(hypothesis: Hypothesis, place: Culprit, evidence: Evidence) -> bool:
    """Whether the line to blame was seen to have such an order.

    Where threads or processes are started, a line that may have one is not enough: what is pinned
    moves what they do and when objects are freed, which other processes may hear of, as those that
    share objects by RPC do.

    Args:
        hypothesis: What is to be proved; only orders are asked about.
        place: The line to blame.
        evidence: What the runs have noted.
    """
    if hypothesis.code not in causes.ORDERS:
        return True
    if place.seeded or (place.entry is not None and place.entry.row.source in _HASHES):
        return True
    if place.walked is not None and place.walked.goes_by != "unknown":
        return True
    if any(not entry.internal for entry in evidence.of("thread", "process")):
        return False
    return place.walked is not None or statement_at(place.file, place.line) is None


def is_by_address(case: Case, situation: Situation, pinned: Trial, hypothesis: Hypothesis) -> bool:
    """Whether addresses are needed, where these were pinned with the hash seed beside them.

    Where the hash seed alone was not tried before, one run more has it alone, with objects at
    other addresses. True for any other hypothesis.
    """
    if hypothesis.pin != "addresses" or case.refuted & causes.pin("addresses").needs:
        return True
    hash_seed = pinned.circumstances.pinned - {"addresses"}
    if hash_seed == pinned.circumstances.pinned - with_needed("addresses"):
        return True  # the hash seed was set from outside
    freed = replace(pinned.circumstances, pinned=hash_seed, shaken=True)
    trial = case.trials.against(pinned, freed, situation.scope)
    further = came_further(situation, trial)
    if trial.usable:
        case.record.add_let_go("addresses", further=further, number=trial.number)
    return not further
