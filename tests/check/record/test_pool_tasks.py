"""Whether tasks of pools were given one after another."""

from __future__ import annotations

import threading
from concurrent.futures import Future

from samebits.check.record.threads.pool_tasks import PoolTasks


def task(*, done):
    future = Future()
    if done:
        future.set_result(None)
    return future


def test_tasks_that_are_waited_for_are_in_sequence():
    tasks = PoolTasks()
    kept = [task(done=True), task(done=False)]
    for one in kept:
        tasks.submitted((), {}, one)
    assert tasks.in_sequence


def test_a_task_that_is_given_before_the_last_is_done_is_not():
    tasks = PoolTasks()
    kept = [task(done=False), task(done=True)]
    for one in kept:
        tasks.submitted((), {}, one)
    assert not tasks.in_sequence


def test_tasks_of_another_thread_have_no_order():
    tasks, one = PoolTasks(), task(done=True)
    other = threading.Thread(target=tasks.submitted, args=((), {}, one))
    other.start()
    other.join()
    assert not tasks.in_sequence


def test_what_a_task_has_returned_is_not_kept():
    tasks, one = PoolTasks(), task(done=True)
    tasks.submitted((), {}, one)
    del one
    assert tasks._before() is None
