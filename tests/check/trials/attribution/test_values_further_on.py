"""Where the first task was the first one in both runs by luck, variables are followed further."""

from __future__ import annotations

import pytest

from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution.findings import FoundCause


@pytest.mark.parametrize(
    ("code", "has_time", "expected"),
    [
        ("process-timing", True, [False, True]),
        ("thread-timing", True, [False, True]),
        ("process-timing", False, [False]),
        ("clock", True, [False]),
    ],
)
def test_the_runs_go_to_the_scripts_end(attempt, code, has_time, expected):
    made = attempt("thread-timing", "clock", has_time_for_whole_runs=has_time)
    scopes, usual = [], made.bench.let_go

    def let_go(still, varied, scope, *, follow):
        scopes.append(scope.whole)
        trial, _ = usual(still, still, scope, follow=follow)  # who is first is the same
        return trial, ValueDifferences()

    made.bench.let_go = let_go
    made.bench.script.parts = []
    pin = "clock" if code == "clock" else "thread-timing"
    hypothesis = Hypothesis(pin=pin, code=code, standing=Standing.POSSIBLE)
    finding = FoundCause(hypotheses=(hypothesis,), confirmed=True)
    made.case.let_go(made.situation, finding, hypothesis, follow=True)
    assert scopes == expected
