"""What is said of what was seen."""

from __future__ import annotations

import pytest

from samebits.check.causes.culprit import Culprit
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
