"""Lines that ask whether others are ready, and what they are told."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
import torch
import torch.distributed as dist


def test_what_the_script_asks_is_noted_with_the_answer(count):
    jobs, future = queue.Queue(maxsize=1), Future()

    def work():
        jobs.put_nowait(1)
        return jobs.full(), jobs.get_nowait(), future.done(), threading.current_thread().is_alive()

    found = count(work)
    assert found.result == (True, 1, False, True)
    assert {row.detail for row in found.of("readiness", "read")} == {
        *("Queue.put_nowait", "Queue.full", "Queue.get_nowait", "Future.done", "Thread.is_alive"),
    }


@pytest.mark.parametrize("answers", [(True, True), (True, False)])
def test_another_answer_tells_runs_apart(count, answers):
    digests = []
    for is_set in answers:
        event = threading.Event()
        if is_set:
            event.set()
        digests.append(count(lambda event=event: event.is_set()).only("readiness").digest)
    assert (digests[0] == digests[1]) == (answers[0] == answers[1])


def test_what_libraries_ask_is_not_noted(count):
    def work():
        with ThreadPoolExecutor(1) as pool:
            return list(pool.map(abs, [-1, -2]))

    found = count(work)
    assert found.result == [1, 2]
    assert found.of("readiness") == []


def test_a_queue_that_is_empty_raises_as_it_did(count):
    def work():
        with pytest.raises(queue.Empty):
            queue.Queue().get_nowait()

    assert count(work).of("readiness") == []


def test_a_collective_in_the_background_is_asked_too(count, tmp_path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/meet", rank=0, world_size=1)
    try:

        def work():
            reduction = dist.all_reduce(torch.ones(2), async_op=True)
            reduction.wait()
            return reduction.is_completed()

        found = count(work)
    finally:
        dist.destroy_process_group()
    assert found.result is True
    assert [row.detail for row in found.of("readiness", "read")] == ["Work.is_completed"]
