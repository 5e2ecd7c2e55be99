"""What is said of what was seen."""

from __future__ import annotations

import pytest

from samebits.check.causes.culprit import Culprit, WalkedSet
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.diff.value_lines import RESULT
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.wording import evidence


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("order", "After this line 'order' is not the same in every run; "),
        (RESULT, "What this line returns is not the same in every run; "),
    ],
)
def test_what_a_line_leaves_or_returns(variable, words):
    hypothesis = Hypothesis(pin="hash-seed", code="hash-order", standing=Standing.POSSIBLE)
    finding = FoundCause(
        hypotheses=(hypothesis,), confirmed=True, pins=frozenset({"hash-seed"}), rivals=()
    )
    place = Culprit(file="train.py", line=3, variable=variable)
    assert evidence(finding, hypothesis, place).lower().startswith(words.lower())


@pytest.mark.parametrize(
    ("code", "goes_by", "is_set", "words"),
    [
        ("hash-order", "string", True, "in an order that goes by the hashes of its elements"),
        ("address-order", "identity", True, "in an order that goes by the addresses of its"),
        ("hash-order", "string", False, ""),
        ("hash-order", "unknown", True, ""),
        ("thread-timing", "string", True, ""),
    ],
)
def test_that_a_set_is_walked_is_said_where_one_was_met(code, goes_by, is_set, words):
    hypothesis = Hypothesis(pin="hash-seed", code=code, standing=Standing.POSSIBLE)
    finding = FoundCause(hypotheses=(hypothesis,), confirmed=True, pins=frozenset({"hash-seed"}))
    walked = WalkedSet(file="train.py", line=3, goes_by=goes_by, ordered=True, is_set=is_set)
    place = Culprit(file="train.py", line=3, variable="w", walked=walked)
    said = evidence(finding, hypothesis, place)
    assert ("a set is walked here" in said.lower()) is bool(words)
    assert words in said
