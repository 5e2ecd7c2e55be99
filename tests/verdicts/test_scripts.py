"""Each script with a known verdict gets that verdict, its cause and its line."""

from __future__ import annotations

import pytest
from harness import Expectation, check, expectations, misses

# A few that stand for the others; the rest take minutes and run with the longer proofs.
SAMPLE = {
    "broken/unseeded-rng/python_split",
    "broken/hash-order/label_map",
    "latent/threads/large_sum",
    "sound/sorted_label_set",
}


def parameters():
    for expectation in expectations():
        marks = () if expectation.name in SAMPLE else (pytest.mark.slow,)
        yield pytest.param(expectation, id=expectation.name, marks=marks)


@pytest.mark.parametrize("expectation", list(parameters()))
def test_verdict(expectation: Expectation):
    if reason := expectation.cannot_run():
        pytest.skip(reason)
    outcome = check(expectation)
    if outcome.unable:
        pytest.skip(outcome.unable)
    assert not misses(expectation, outcome), outcome.text
