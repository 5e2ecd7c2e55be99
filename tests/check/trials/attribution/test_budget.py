"""Runs and time that a search for the cause may take."""

from __future__ import annotations

import pytest

from samebits.check.trials.attribution.budget import Budget, OutOfRunsError
from samebits.check.trials.limits import Limits
from samebits.cli.budget import parsed_budget
from samebits.errors import UsageError


def test_runs_are_counted_down():
    budget = Budget(3)
    budget.take(2)
    with pytest.raises(OutOfRunsError):
        budget.take(2)
    budget.take(1)


def test_without_time_no_run_is_made():
    with pytest.raises(OutOfRunsError):
        Budget(3, seconds=0.0).take(1)


def test_the_usual_time_is_five_runs_or_two_minutes():
    assert Limits().allowed_seconds(3.0) == 120
    assert Limits().allowed_seconds(60.0) == 300
    assert Limits(seconds=7.0).allowed_seconds(60.0) == 7


@pytest.mark.parametrize(
    ("given", "runs", "seconds"),
    [
        ([], 24, None),
        (["12"], 12, None),
        (["90s"], 24, 90.0),
        (["5m"], 24, 300.0),
        (["1.5h"], 24, 5400.0),
        (["6", "2 min"], 6, 120.0),
    ],
)
def test_a_budget_is_a_number_of_runs_or_a_time(given, runs, seconds):
    limits = parsed_budget(given, attribute=True)
    assert (limits.runs, limits.seconds) == (runs, seconds)


@pytest.mark.parametrize("given", ["0", "-3", "5 parsecs", "", "m5", "1e3"])
def test_anything_else_is_refused(given):
    with pytest.raises(UsageError, match="number of runs or a time"):
        parsed_budget([given], attribute=True)


def test_no_runs_where_no_cause_is_wanted():
    assert parsed_budget(["5m"], attribute=False).runs == 0
