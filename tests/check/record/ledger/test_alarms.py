"""Lines that have the system send a signal after a time."""

from __future__ import annotations

import signal

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "alarm"), reason="no alarms on this system")


@pytest.fixture
def still():
    """No alarm comes during the test, nor after it."""
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_time_that_is_set_is_noted_and_not_one_that_is_taken_back(count, still):
    def work():
        signal.setitimer(signal.ITIMER_REAL, 500, 500)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.alarm(500)
        return signal.alarm(0)

    found = count(work)
    assert 0 < found.result <= 500
    rows = found.of("clock", "start")
    assert [(row.detail, row.calls, row.amount) for row in rows] == [
        ("signal.setitimer", 1, 500_000),
        ("signal.alarm", 1, 500_000),
    ]
    assert {row.site.file for row in rows} == {__file__}


def test_an_alarm_that_is_refused_raises_as_it_did(count, still):
    def work():
        with pytest.raises(signal.ItimerError):
            signal.setitimer(99, 1.0)

    assert count(work).of("clock", "start") == []
