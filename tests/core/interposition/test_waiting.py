"""Waiting: for what is soon done, for what takes its time, and not for what waits itself."""

from __future__ import annotations

import itertools
import threading

from samebits.core.interposition.waiting import threads_state, wait_until


def test_what_is_soon_done_is_not_asked_how_far_it_is():
    answers = iter([False, False, False, True])
    asked = []
    assert wait_until(lambda: next(answers), lambda: (asked.append(1), False), limit=30)
    assert not asked


def test_what_gets_on_is_waited_for():
    steps = itertools.count()
    assert wait_until(lambda: next(steps) > 20, lambda: (next(steps), True), limit=30)


def test_what_waits_for_others_is_not_waited_for():
    asked = []
    assert not wait_until(lambda: False, lambda: (asked.append(1), True), limit=30)
    assert asked


def test_what_stands_still_is_not_waited_for():
    assert not wait_until(lambda: False, lambda: ("here", False), limit=30)


def test_the_limit_holds_for_what_gets_on():
    steps = itertools.count()
    assert not wait_until(lambda: False, lambda: (next(steps), False), limit=0.05)


def test_a_thread_in_a_queue_waits_and_one_that_computes_does_not():
    go, ready = threading.Event(), threading.Event()

    def wait() -> None:
        ready.set()
        go.wait()

    waiting = threading.Thread(target=wait)
    waiting.start()
    try:
        ready.wait()
        assert wait_until(lambda: threads_state([waiting])[1], lambda: (None, False), limit=30)
        assert not threads_state([threading.current_thread()])[1]
    finally:
        go.set()
        waiting.join()
