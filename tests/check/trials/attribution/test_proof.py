"""What a further run does to a confirmation that it contradicts."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.check.causes.made_up import divergence

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.trials.attribution.findings import FoundCause, RefutedError
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.proof import Proof
from samebits.check.trials.attribution.scope import WHOLE
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.tally import Outcome, Tally
from samebits.check.trials.attribution.trial import Trial

PINS = frozenset({"addresses", "hash-seed"})
_RUN: Any = SimpleNamespace(
    manifest=SimpleNamespace(seconds=10.0, extra={}), count_ops=lambda: 0, rows=lambda indices: []
)
TRACES: Any = (_RUN, _RUN)
AGREED = Trial(circumstances=Interventions(pinned=PINS), traces=TRACES, divergence=None)
DIVERGED = replace(AGREED, divergence=divergence(), number=9)


@pytest.fixture
def refuted():
    return []


@pytest.fixture
def proof(refuted):
    """A proof of an order of addresses, whose next pinned run diverges."""

    def make(beside: tuple[Hypothesis, ...] = (), **more) -> Proof:
        record = Tally(plain=frozenset())
        record.add(PINS, Outcome.AGREED, 1)
        for number in (2, 3, 4):
            record.add(frozenset(), Outcome.DIVERGED, number)
        case: Any = SimpleNamespace(
            record=record,
            trials=SimpleNamespace(once_more=lambda *given: DIVERGED),
            count_a_run_with_more_pinned=lambda *given: None,
            note=lambda *given: None,
            refute=refuted.append,
            thorough=False,
        )
        found = divergence()
        situation = Situation(
            found=found,
            traces=TRACES,
            scope=WHOLE,
            closer=found,
            closer_traces=TRACES,
            closer_scope=WHOLE,
        )
        hypothesis = Hypothesis(pin="addresses", code="address-order", standing=Standing.POSSIBLE)
        hypotheses = (*beside, hypothesis)
        finding = FoundCause(hypotheses=hypotheses, confirmed=True, pins=PINS, trial=AGREED)
        return Proof(case, situation, finding, hypotheses[0], **more)

    return make


def test_a_pinned_run_that_diverges_refutes(proof, refuted):
    with pytest.raises(RefutedError):
        proof().confidence(Evidence(found=divergence()))
    assert refuted == ["addresses"]


def test_it_does_not_where_the_line_was_seen_to_do_it(proof, refuted):
    shown = proof(shown_at_line=True)
    assert shown.confidence(Evidence(found=divergence())) == "likely"
    assert refuted == []


def test_what_counts_beside_an_order_of_addresses_alone_is_not_proved(proof, refuted):
    """Without any pin objects lie elsewhere: that the run differs then says nothing of the pin."""
    beside = Hypothesis(pin="hash-seed", code="hash-order", standing=Standing.POSSIBLE)
    made = proof((beside,))
    for number in range(5, 25):  # more than enough to exclude luck
        made.case.record.add(PINS, Outcome.AGREED, number)
        made.case.record.add(frozenset(), Outcome.DIVERGED, number + 100)
    assert made.confidence(Evidence(found=divergence())) == "likely"
    assert refuted == []
