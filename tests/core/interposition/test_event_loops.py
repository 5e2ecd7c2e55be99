"""Event loops whose clock goes on when nothing else can."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from asyncio.base_events import BaseEventLoop

import pytest

from samebits.core.interposition.event_loops import LoopTimes

HOURS = 10_000.0


@pytest.fixture
def run():
    """Runs a coroutine on a loop of which samebits keeps the time: run(main(), limit=30.0)."""

    def in_loop(main, limit=30.0):
        times = LoopTimes(limit)

        class Loop(asyncio.SelectorEventLoop):
            time = times.time(BaseEventLoop.time)
            _run_once = times.run_once(BaseEventLoop._run_once)
            run_in_executor = times.run_in_executor(BaseEventLoop.run_in_executor)

        loop = Loop()
        try:
            return loop.run_until_complete(main)
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    return in_loop


def test_time_passes_at_once_where_nothing_else_is_to_be_done(run):
    async def main():
        loop = asyncio.get_running_loop()
        before = loop.time()
        await asyncio.sleep(HOURS)
        return loop.time() - before

    assert HOURS <= run(main()) < HOURS + 0.1


def test_a_thread_that_only_looks_on_is_not_waited_for(run):
    ended = threading.Event()
    monitor = threading.Thread(target=ended.wait, args=(9,), name="tqdm_monitor")
    monitor.start()
    try:
        run(asyncio.sleep(10))
        assert monitor.is_alive()
    finally:
        ended.set()
        monitor.join()


def test_computing_takes_no_time(run):
    async def main():
        loop = asyncio.get_running_loop()
        before = loop.time()
        sum(range(100_000))
        await asyncio.sleep(0)
        return loop.time() - before

    assert run(main()) < 0.1


def test_a_deadline_is_met_however_slow_the_machine_is(run):
    async def main():
        queue = asyncio.Queue()

        async def fill():
            await asyncio.sleep(0.1)
            sum(range(20_000_000))  # longer than the deadline
            await queue.put("there")

        filling = asyncio.create_task(fill())
        try:
            return await asyncio.wait_for(queue.get(), 0.15)
        finally:
            await filling

    assert run(main()) == "there"


def test_timers_that_were_cancelled_do_not_count(run):
    async def main():
        loop = asyncio.get_running_loop()
        before = loop.time()
        loop.call_later(1.0, print).cancel()
        await asyncio.sleep(2.0)
        return loop.time() - before

    assert 2.0 <= run(main()) < 2.1


def test_timers_wait_for_threads_that_work_for_the_loop(run):
    async def main():
        seen, begun = [], threading.Event()

        def work():
            begun.wait()
            seen.append("thread")

        async def late():
            await asyncio.sleep(HOURS)
            seen.append("timer")

        working = asyncio.get_running_loop().run_in_executor(None, work)
        waiting = asyncio.create_task(late())
        await asyncio.sleep(0)
        begun.set()
        await asyncio.gather(working, waiting)
        return seen

    assert run(main()) == ["thread", "timer"]


def test_a_thread_that_waits_for_a_timer_gets_it(run):
    async def main():
        loop, gone_off = asyncio.get_running_loop(), threading.Event()
        loop.call_later(0.001, gone_off.set)
        return await loop.run_in_executor(None, gone_off.wait)

    assert run(main(), limit=0.0) is True


def test_a_loop_with_sockets_has_the_real_time(run):
    async def main():
        loop = asyncio.get_running_loop()
        here, there = socket.socketpair()
        with here, there:
            arrived = loop.create_future()
            loop.add_reader(here, lambda: arrived.done() or arrived.set_result(here.recv(1)))
            loop.call_later(0.001, there.send, b"x")
            result = await asyncio.wait_for(arrived, HOURS)
            loop.remove_reader(here)
        return result

    assert run(main()) == b"x"


def test_what_is_asked_for_comes_in_the_order_of_asking(run):
    as_completed = LoopTimes(30.0).as_completed(asyncio.as_completed)

    async def nap(number):
        await asyncio.sleep(3.0 - number)
        return number

    async def main():
        return [await done for done in as_completed([nap(n) for n in range(3)])]

    assert run(main()) == [0, 1, 2]


def test_what_lasts_until_a_time_ends(run):
    async def main():
        loop, turns = asyncio.get_running_loop(), 0
        end = loop.time() + 0.05
        while loop.time() < end:
            await asyncio.sleep(0)
            turns += 1
        return turns

    assert 0 < run(main()) < 1000


def test_a_loop_beside_other_threads_has_the_real_time(run):
    ended = threading.Event()

    async def main():
        loop = asyncio.get_running_loop()
        other = threading.Thread(target=lambda: (loop.call_soon_threadsafe(print), ended.wait()))
        other.start()
        before = loop.time()
        await asyncio.sleep(0.01)
        ended.set()
        other.join()
        return loop.time() - before

    assert 0.01 <= run(main()) < HOURS


def test_who_gives_up_waiting_does_not_cancel_what_goes_on(run):
    as_completed = LoopTimes(30.0).as_completed(asyncio.as_completed)

    async def late():
        await asyncio.sleep(10.0)
        return 1

    async def main():
        tasks = [asyncio.ensure_future(late())]
        for job in as_completed(tasks):
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(job, 0.5)
        return await tasks[0]

    assert run(main()) == 1


def test_it_can_be_walked_asynchronously(run):
    as_completed = LoopTimes(30.0).as_completed(asyncio.as_completed)

    async def main():
        tasks = [asyncio.ensure_future(asyncio.sleep(3.0 - n, n)) for n in range(3)]
        return [task.result() async for task in as_completed(tasks)]

    assert run(main()) == [0, 1, 2]
