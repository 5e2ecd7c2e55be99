"""Serial: threads, processes and pools do one thing after another, in the order of asking."""

from __future__ import annotations

import concurrent.futures
import itertools
import multiprocessing.process
import os
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from samebits.core.interposition import Hook, UserLines
from samebits.core.interposition.arrivals import Arrivals
from samebits.core.interposition.barriers import Barriers
from samebits.core.interposition.event_loops import LoopTimes
from samebits.core.interposition.hook import Function
from samebits.core.interposition.waiting import process_state, threads_state, wait_until
from samebits.core.setting import Setting

_MORE_THAN_FITS = 1000
"""Items that a full queue takes all the same: a thread that never ends must not fill the memory."""


class SerialHook(Hook):
    """Waits for what the script starts before the script goes on.

    That goes for `threading.Thread`, `multiprocessing.Process` and `subprocess.Popen` started by
    the user's own code, for `submit` of executors, and for `apply_async` and `map` of pools. A pool
    of processes has one process: which of several takes a task, and what it has drawn before, goes
    by their pace. What is collected as it gets ready (`as_completed`, `imap_unordered`, joblib's
    `generator_unordered`) comes in the order of asking. Threads that meet at a barrier go on by
    turns, as they came. Nothing waits for a thread or a process that itself waits for others: the
    script goes on then, as it would have. A thread that fills a queue does not wait for room in it:
    the next one would go on meanwhile. What the main thread puts into a queue that another one
    waits for is dealt with before it goes on. Of what several processes hand over at a time, the
    script's own process gets what is least first. The time of an event loop of asyncio goes on to
    its next timer once there is nothing else to do. Arrow computes on one thread: its joins and
    groups come in the order in which threads are done with their parts.

    Settings:
        limit: Seconds to wait for one thing at most.
        shares: Whether a pool has one process, queues are emptied first, and Arrow has one thread.
            Without it the order alone is pinned in which things are collected, not what each of
            them computes.
        sites: Acts at these lines alone.
    """

    name: ClassVar[str] = "serial"
    defaults: ClassVar[Mapping[str, Setting]] = {"limit": 30.0, "shares": True}

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._limit = float(self.settings["limit"])
        self._shares = bool(self.settings["shares"])
        self._numbers = itertools.count()
        self._submitted: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._arrivals = Arrivals(self._limit)
        self._barriers = Barriers(self._limit)
        self._loop_times = LoopTimes(self._limit)
        self._left_for_programs = self._limit  # one that never ends would take it for each
        self._started_in = -1
        self._arrow_threads = 0

    def put_in_place(self) -> None:
        """Stand in for what starts things, and for what collects them as they get ready."""
        self.replace(threading.Thread, "start", self._thread_start)
        self.replace(threading.Barrier, "wait", self._barrier_wait)
        self.replace(multiprocessing.process.BaseProcess, "start", self._process_start)
        self.when_imported("subprocess", self._subprocess_imported)
        self.when_imported("concurrent.futures.thread", self._thread_pool_imported)
        self.when_imported("concurrent.futures.process", self._process_pool_imported)
        self.replace(concurrent.futures, "as_completed", self._as_completed)
        self.replace(queue.Queue, "put", self._put)
        self.when_imported("multiprocessing.pool", self._pool_imported)
        self.when_imported("multiprocessing.queues", self._queues_imported)
        self.when_imported("multiprocessing.connection", self._connections_imported)
        self.when_imported("asyncio", self._event_loops_imported)
        self.when_imported("joblib.parallel", self._joblib_imported)
        self.when_imported("pyarrow", self._arrow_imported)

    def _thread_start(self, original: Function) -> Function:
        def start(thread: threading.Thread) -> None:
            original(thread)
            if self._lines.are_calling():
                barriers = self._barriers
                self._wait(lambda: not thread.is_alive() or barriers.hold(thread), [thread])

        return start

    def _barrier_wait(self, original: Function) -> Function:
        def wait(barrier: threading.Barrier, timeout: float | None = None) -> int:
            if type(barrier) is not threading.Barrier or not self._lines.are_calling():
                index: int = original(barrier, timeout)
                return index
            self.acted += 1
            return self._barriers.wait(original, barrier, timeout)

        return wait

    def _put(self, original: Function) -> Function:
        def put(
            filled: queue.Queue[Any], item: Any, block: bool = True, timeout: float | None = None
        ) -> None:
            if threading.current_thread() is threading.main_thread():
                idle = _takers(filled)
                original(filled, item, block, timeout)
                if idle and self._shares and self._lines.are_calling():
                    self._wait(lambda: not filled.qsize() and _takers(filled) >= idle, _others())
                return
            if not block:
                original(filled, item, block, timeout)
                return
            with filled.not_full:
                full = 0 < filled.maxsize <= filled._qsize() < filled.maxsize + _MORE_THAN_FITS
                if full:
                    self.acted += 1
                    filled._put(item)
                    filled.unfinished_tasks += 1
                    filled.not_empty.notify()
            if not full:
                original(filled, item, block, timeout)

        return put

    def _process_start(self, original: Function) -> Function:
        def start(process: Any) -> None:
            original(process)
            self._started_in = os.getpid()
            if self._lines.are_calling():
                self.acted += 1
                # Asking is_alive() takes note of the end, as join() does.
                wait_until(
                    lambda: not process.is_alive(),
                    lambda: process_state(process.pid),
                    self._limit,
                )

        return start

    def _subprocess_imported(self) -> None:
        import subprocess

        self.replace(subprocess.Popen, "__init__", self._program_start)

    def _program_start(self, original: Function) -> Function:
        def start(program: Any, *args: Any, **kwargs: Any) -> None:
            original(program, *args, **kwargs)
            if self._lines.are_calling() and self._left_for_programs > 0:
                self.acted += 1
                began = time.monotonic()
                wait_until(
                    lambda: _has_ended(program.pid),
                    lambda: process_state(program.pid),
                    self._left_for_programs,
                )
                self._left_for_programs -= time.monotonic() - began

        return start

    def _queues_imported(self) -> None:
        from multiprocessing.queues import Queue, SimpleQueue

        for kind in (Queue, SimpleQueue):
            self.replace(kind, "get", self._get)
            self.replace(kind, "empty", self._empty)

    def _event_loops_imported(self) -> None:
        import asyncio
        from asyncio.base_events import BaseEventLoop

        self.replace(asyncio, "as_completed", self._loop_times.as_completed)
        self.replace(BaseEventLoop, "time", self._loop_times.time)
        self.replace(BaseEventLoop, "_run_once", self._loop_times.run_once)
        self.replace(BaseEventLoop, "run_in_executor", self._loop_times.run_in_executor)

    def _connections_imported(self) -> None:
        from multiprocessing import connection  # not yet an attribute of its package

        self.replace(connection, "wait", self._ready)

    def _get(self, original: Function) -> Function:
        def get(filled: Any, *how: Any, **named: Any) -> Any:
            if not self._collects(filled):
                return original(filled, *how, **named)
            self.acted += 1
            return self._arrivals.take(filled, original, *how, **named)

        return get

    def _empty(self, original: Function) -> Function:
        def empty(filled: Any) -> bool:
            here = os.getpid() == self._started_in
            return not (here and self._arrivals.kept(filled)) and bool(original(filled))

        return empty

    def _ready(self, original: Function) -> Function:
        def wait(object_list: Iterable[Any], timeout: float | None = None) -> list[Any]:
            if os.getpid() != self._started_in or not self._lines.are_calling():
                found: list[Any] = original(object_list, timeout)
                return found
            self.acted += 1
            return self._arrivals.ready(original, object_list, timeout)

        return wait

    def _collects(self, filled: Any) -> bool:
        """Whether the user's code takes what processes hand over that this one has started."""
        if os.getpid() != self._started_in:
            return False
        return bool(self._arrivals.kept(filled)) or self._lines.are_calling()

    def _wait(self, done: Any, threads: Iterable[threading.Thread]) -> None:
        self.acted += 1
        wait_until(done, lambda: threads_state(threads), self._limit)

    def _thread_pool_imported(self) -> None:
        from concurrent.futures.thread import ThreadPoolExecutor

        self.replace(ThreadPoolExecutor, "submit", self._submit)

    def _process_pool_imported(self) -> None:
        from concurrent.futures.process import ProcessPoolExecutor

        self.replace(ProcessPoolExecutor, "__init__", self._one_process)
        self.replace(ProcessPoolExecutor, "submit", self._submit)

    def _one_process(self, original: Function) -> Function:
        def init(pool: Any, workers: int | None = None, *args: Any, **kwargs: Any) -> None:
            from multiprocessing.pool import ThreadPool

            for name in ("processes", "max_workers"):
                workers = kwargs.pop(name, workers)
            if self._shares and not isinstance(pool, ThreadPool):
                self.acted += 1
                workers = 1
            original(pool, workers, *args, **kwargs)

        return init

    def _submit(self, original: Function) -> Function:
        def submit(executor: Any, /, *args: Any, **kwargs: Any) -> Any:
            future = original(executor, *args, **kwargs)
            self._submitted[future] = next(self._numbers)
            threads = getattr(executor, "_threads", None)
            if threads is None:
                self.acted += 1
                concurrent.futures.wait([future], timeout=self._limit)
            elif threading.current_thread() not in threads:
                self._wait(future.done, list(threads))
            return future

        return submit

    def _as_completed(self, original: Function) -> Function:
        def as_completed(fs: Iterable[Any], timeout: float | None = None) -> Iterator[Any]:
            last = next(self._numbers)
            futures = list(dict.fromkeys(fs))
            futures.sort(key=lambda future: self._submitted.get(future, last))
            end = None if timeout is None else time.monotonic() + timeout
            for position, future in enumerate(futures):
                left = None if end is None else max(0.0, end - time.monotonic())
                if not concurrent.futures.wait([future], timeout=left).done:
                    yield from original(futures[position:], timeout=0)  # it raises what it must
                    return
                self.acted += 1
                yield future

        return as_completed

    def _pool_imported(self) -> None:
        from multiprocessing.pool import Pool

        self.replace(Pool, "__init__", self._one_process)
        self.replace(Pool, "apply_async", self._apply_async)
        self.replace(Pool, "imap_unordered", self._imap_unordered)
        self.replace(Pool, "_map_async", self._map_async)

    def _apply_async(self, original: Function) -> Function:
        def apply_async(pool: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(pool, *args, **kwargs)
            self.acted += 1
            if self._lines.are_calling():
                result.wait(self._limit)
            return result

        return apply_async

    def _imap_unordered(self, _: Function) -> Function:
        def imap_unordered(pool: Any, func: Any, iterable: Any, chunksize: int = 1) -> Any:
            self.acted += 1
            return pool.imap(func, iterable, chunksize)

        return imap_unordered

    def _arrow_imported(self) -> None:
        if not self._shares:
            return
        import pyarrow

        self._arrow_threads = pyarrow.cpu_count()
        pyarrow.set_cpu_count(1)
        self.replace(pyarrow, "set_cpu_count", self._set_cpu_count)

    def _set_cpu_count(self, original: Function) -> Function:
        def set_cpu_count(count: int) -> None:
            self.acted += 1
            self._arrow_threads = count
            original(min(count, 1))

        return set_cpu_count

    def remove(self) -> None:
        """Arrow gets back the threads that the script chose."""
        super().remove()
        if self._arrow_threads:
            sys.modules["pyarrow"].set_cpu_count(self._arrow_threads)

    def _joblib_imported(self) -> None:
        joblib: Any = sys.modules["joblib.parallel"]
        self.replace(joblib.Parallel, "__init__", self._ordered_generator)
        backends: Any = sys.modules.get("joblib._parallel_backends")
        threads = getattr(backends, "ThreadingBackend", None)
        for kind in getattr(threads, "__mro__", ()):
            for name in ("submit", "apply_async"):
                if name in vars(kind) and hasattr(kind, "_get_pool"):
                    self.replace(kind, name, self._after_the_one_before(threads))

    def _after_the_one_before(self, threads: Any) -> Callable[[Function], Function]:
        """Each job of joblib's threads begins when the one before has ended, or soon after."""

        def acting(original: Function) -> Function:
            def submit(backend: Any, func: Any, callback: Any = None) -> Any:
                if not isinstance(backend, threads):
                    return original(backend, func, callback)
                self.acted += 1
                before, ended = getattr(backend, "_samebits_before", None), threading.Event()
                backend._samebits_before = ended

                def job() -> Any:
                    if before is not None:
                        before.wait(self._limit)
                    try:
                        return func()
                    finally:
                        ended.set()

                return original(backend, job, callback)

            return submit

        return acting

    def _ordered_generator(self, original: Function) -> Function:
        def init(parallel: Any, *args: Any, **kwargs: Any) -> None:
            original(parallel, *args, **kwargs)
            if getattr(parallel, "return_ordered", True):
                return
            self.acted += 1
            parallel.return_as, parallel.return_ordered = "generator", True

        return init

    def _map_async(self, original: Function) -> Function:
        def map_async(
            pool: Any, func: Any, iterable: Any, mapper: Any, chunksize: Any = None, *rest: Any
        ) -> Any:
            if not self._shares:
                return original(pool, func, iterable, mapper, chunksize, *rest)
            # A single chunk is done by a single worker, in order.
            items = list(iterable)
            self.acted += 1
            return original(pool, func, items, mapper, len(items) or chunksize, *rest)

        return map_async


def _has_ended(pid: int) -> bool:
    """Whether a child has ended; whoever waits for it still hears of that."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _takers(filled: queue.Queue[Any]) -> int:
    """How many threads wait for an item of a queue."""
    return len(getattr(filled.not_empty, "_waiters", ()))


def _others() -> list[threading.Thread]:
    """All threads but this one."""
    return [thread for thread in threading.enumerate() if thread is not threading.current_thread()]
