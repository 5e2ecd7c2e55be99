"""When rows go to the disk, and how far a run was when: by the clock where that harms nobody."""

from __future__ import annotations

import pytest

from samebits.check.record import flush_times, timeline
from samebits.check.record.flush_times import FlushTimes
from samebits.check.record.plan import RunPlan
from samebits.check.record.timeline import Timeline
from samebits.core.interposition.surroundings import Surroundings


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in (flush_times, timeline):
        monkeypatch.setattr(module, "time", clock)
    return clock


def flushes(plan, clock, seconds, *, steps, rows=1):
    """After which steps a run with such steps flushes."""
    times, found = FlushTimes(plan), []
    for step in range(1, steps + 1):
        clock.now += seconds
        if times.due_after_step(step, rows * step):
            times.flushed(step, rows * step)
            found.append(step)
    return found


def test_rows_are_written_each_second(clock):
    assert flushes(RunPlan(), clock, 0.3, steps=10) == [1, 5, 9]


@pytest.mark.parametrize(
    "plan",
    [RunPlan(control=True), RunPlan(surroundings=Surroundings(addresses="fixed"))],
)
def test_where_objects_lie_still_rows_are_written_by_their_number(clock, plan):
    fast, slow = (flushes(plan, clock, seconds, steps=150) for seconds in (0.001, 0.05))
    assert fast == slow == [1, 65, 129]
    assert flushes(plan, clock, 0.001, steps=20, rows=1000) == [1, 10, 19]


def test_a_run_of_slow_steps_loses_some_seconds_at_most(clock):
    assert flushes(RunPlan(control=True), clock, 3.0, steps=5) == [1, 3, 5]
    further = RunPlan(control=True, is_further=True)  # nobody reads it before it has ended
    assert flushes(further, clock, 3.0, steps=5) == []


def test_the_first_rows_reach_the_disk_with_every_flush(clock):
    times = FlushTimes(RunPlan(control=True))
    times.flushed(1, 1)
    assert times.due_with_rows(2, 8000)
    times.flushed(2, 8000)
    assert not times.due_with_rows(3, 9000)


def test_the_timeline_is_noted_rarer_and_rarer(clock):
    noted = Timeline()
    for step in range(1, 5000):
        clock.now += 0.01
        noted.note(step, 3 * step)
    entries = list(noted)
    assert entries[:2] == [(0, 0, 100.0), (1, 3, pytest.approx(100.01))]
    assert all(rows == 3 * steps for steps, rows, _ in entries)
    assert 60 < len(entries) < 110


def test_a_timeline_that_is_full_takes_no_more(clock):
    noted = Timeline()
    for step in range(1, 1000):
        clock.now *= 1.2
        noted.note(step, step)
    assert len(list(noted)) == 256
