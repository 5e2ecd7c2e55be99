"""How fast a pinned clock goes on, and how long a turn of threads may take."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from samebits.check.causes.clock import clock_pace
from samebits.check.causes.pace import longest_turn


@pytest.mark.parametrize(
    ("seconds", "calls", "advance"),
    [
        (6.5, (2000, 1250), 2**-9),  # as it did
        (6.5, (), 2**-7),  # rarely asked: no faster than that
        (6.5, (3,), 2**-7),
        (1.0, (10**9,), 2**-20),
    ],
)
def test_a_pinned_clock_goes_on_about_as_fast_as_the_real_one(seconds, calls, advance):
    rows = [SimpleNamespace(source="clock", calls=number) for number in calls]
    rows.append(SimpleNamespace(source="file", calls=10**6))
    trace = SimpleNamespace(ledger=lambda: rows, manifest=SimpleNamespace(seconds=seconds))
    assert clock_pace(trace) == {"advance": advance}


@pytest.mark.parametrize(("seconds", "limit"), [(0.5, 5.0), (4.0, 8.0), (600.0, 30.0)])
def test_a_thread_that_never_ends_is_waited_for_about_as_long_as_a_run_takes(
    make_run, seconds, limit
):
    assert longest_turn(make_run([], seconds=seconds)) == {"limit": limit}
