"""The time and the order of asyncio's event loops, which go by nothing that is a matter of pace."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from samebits.core.interposition.hook import Function

_OWN_SOCKETS = 1
"""Of a loop: the one by which other threads wake it."""
_START_S = 1000.0
"""The same in every run: where a timer lies between others goes by how the sum is rounded."""
_ADVANCE_S = 1e-4
"""What a question for the time takes: a loop that works until a time is up has to end."""
_WORKERS = ("ThreadPoolExecutor-", "asyncio_", "tqdm_monitor")
"""Names of threads that work for those who have asked, which is noted, or that only look on."""


@dataclass
class _Time:
    """What one loop's clock shows.

    Attributes:
        now: Seconds.
        elsewhere: Calls that other threads or processes work at.
        waits_since: When the loop began to wait for those alone; None while it does not.
    """

    now: float
    elsewhere: int = 0
    waits_since: float | None = None


class LoopTimes:
    """Clocks of event loops that do not depend on how fast anything is.

    While a loop has something to do, its clock goes on by a little at each question. Once it waits
    for nothing but timers, the clock goes on to the first of them at once. While a pool's threads
    work for the loop, timers wait for them. A loop that may hear from others as well (by sockets
    and pipes, from threads that are no pool's) has the real time. Loops that are not asyncio's own,
    such as uvloop's, are left alone.

    Args:
        limit: Seconds for which timers wait for other threads at most: these may themselves wait
            for a timer.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._times: weakref.WeakKeyDictionary[Any, _Time] = weakref.WeakKeyDictionary()

    def time(self, original: Function) -> Function:
        """In the place of `BaseEventLoop.time`."""

        def now(loop: Any) -> float:
            clock = self._of(loop)
            clock.now += _ADVANCE_S
            return clock.now

        return now

    def run_once(self, original: Function) -> Function:
        """In the place of `BaseEventLoop._run_once`, which waits, and then does what is ready."""

        def turn(loop: Any) -> None:
            clock = self._of(loop)
            real = time.monotonic()
            if _waits_for_sockets(loop) or _hears_from_threads():
                original(loop)
                clock.now += time.monotonic() - real
                return
            if loop._ready or loop._stopping or not loop._scheduled:
                clock.waits_since = None
            elif not clock.elsewhere or self._waited_long(clock, real):
                clock.now = max(clock.now, min(timer._when for timer in _timers(loop)))
            original(loop)

        return turn

    def run_in_executor(self, original: Function) -> Function:
        """In the place of `BaseEventLoop.run_in_executor`, which `to_thread` calls."""

        def submit(loop: Any, *args: Any, **kwargs: Any) -> Any:
            clock = self._of(loop)
            future = original(loop, *args, **kwargs)

            def done(_: object) -> None:
                clock.elsewhere -= 1

            clock.elsewhere += 1
            future.add_done_callback(done)
            return future

        return submit

    def as_completed(self, original: Function) -> Function:
        """In the place of `asyncio.as_completed`, which goes by addresses, too: it makes a set."""

        def in_order(fs: Iterable[Any], *, timeout: float | None = None) -> Any:
            if timeout is not None or isinstance(fs, (set, frozenset)):
                return original(fs, timeout=timeout)
            return _InOrder(fs)

        return in_order

    def _of(self, loop: Any) -> _Time:
        clock = self._times.get(loop)
        if clock is None:
            clock = self._times[loop] = _Time(_START_S)
        return clock

    def _waited_long(self, clock: _Time, real: float) -> bool:
        if clock.waits_since is None:
            clock.waits_since = real
        return real - clock.waits_since > self._limit


class _InOrder:
    """What was asked for, each when it is done, in the order of asking.

    Args:
        fs: Coroutines, tasks and futures; they begin once the first is asked for.
    """

    def __init__(self, fs: Iterable[Any]) -> None:
        self._asked = list(dict.fromkeys(fs))
        self._left: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return _result(self._next())

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            future = self._next()
        except StopIteration:
            raise StopAsyncIteration from None
        await _done(future)
        return future

    def _next(self) -> Any:
        if self._left is None:
            import asyncio

            self._left = iter([asyncio.ensure_future(one) for one in self._asked])
        return next(self._left)


async def _result(future: Any) -> Any:
    """What a future comes to; who gives up waiting for it does not cancel it."""
    await _done(future)
    return future.result()


async def _done(future: Any) -> None:
    import asyncio

    await asyncio.wait([future])


def _timers(loop: Any) -> list[Any]:
    """Timers that were not cancelled; all of them where each was."""
    return [timer for timer in loop._scheduled if not timer._cancelled] or loop._scheduled


def _hears_from_threads() -> bool:
    here = threading.current_thread()
    return any(
        thread is not here and not thread.name.startswith(_WORKERS)
        for thread in threading.enumerate()
    )


def _waits_for_sockets(loop: Any) -> bool:
    selector = getattr(loop, "_selector", None)
    known = selector.get_map() if selector is not None else None
    return known is None or len(known) > _OWN_SOCKETS
