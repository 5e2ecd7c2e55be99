"""The time and the order of asyncio's event loops, which go by nothing that is a matter of pace."""

from __future__ import annotations

import time
import weakref
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from samebits.core.interposition.hook import Function

_OWN_SOCKETS = 1
"""Of a loop: the one by which other threads wake it."""


@dataclass
class _Time:
    """What one loop's clock shows.

    Attributes:
        now: Seconds, beginning with what the clock showed when it was first asked.
        elsewhere: Calls that other threads or processes work at.
        waits_since: When the loop began to wait for those alone; None while it does not.
    """

    now: float
    elsewhere: int = 0
    waits_since: float | None = None


class LoopTimes:
    """Clocks of event loops that do not depend on how fast anything is.

    While a loop has something to do, its clock stands still. Once it waits for nothing but timers,
    the clock goes on to the first of them at once. While other threads work for the loop, timers
    wait for them. A loop that waits for sockets or pipes as well has the real time.

    Args:
        limit: Seconds for which timers wait for other threads at most: these may themselves wait
            for a timer.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._times: weakref.WeakKeyDictionary[Any, _Time] = weakref.WeakKeyDictionary()
        self.acted = 0

    def time(self, original: Function) -> Function:
        """In the place of `BaseEventLoop.time`."""

        def now(loop: Any) -> float:
            return self._of(loop).now

        return now

    def run_once(self, original: Function) -> Function:
        """In the place of `BaseEventLoop._run_once`, which waits, and then does what is ready."""

        def turn(loop: Any) -> None:
            clock = self._of(loop)
            real = time.monotonic()
            if _waits_for_sockets(loop):
                original(loop)
                clock.now += time.monotonic() - real
                return
            if loop._ready or loop._stopping or not loop._scheduled:
                clock.waits_since = None
            elif not clock.elsewhere or self._waited_long(clock, real):
                # What was cancelled is removed before a loop looks at its first timer.
                clock.now = max(clock.now, min(timer._when for timer in _timers(loop)))
                self.acted += 1
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
            if timeout is not None:
                return original(fs, timeout=timeout)
            self.acted += 1
            return _InOrder(fs)

        return in_order

    def _of(self, loop: Any) -> _Time:
        clock = self._times.get(loop)
        if clock is None:
            clock = self._times[loop] = _Time(time.monotonic())
        return clock

    def _waited_long(self, clock: _Time, real: float) -> bool:
        if clock.waits_since is None:
            clock.waits_since = real
        return real - clock.waits_since > self._limit


class _InOrder:
    """What was asked for, each when it is done, in the order of asking.

    Args:
        fs: Coroutines, tasks and futures.
    """

    def __init__(self, fs: Iterable[Any]) -> None:
        import asyncio

        self._futures = [asyncio.ensure_future(f) for f in dict.fromkeys(fs)]
        self._left = iter(self._futures)

    def __iter__(self) -> Iterator[Any]:
        return self._left

    def __next__(self) -> Any:
        return next(self._left)

    async def __aiter__(self) -> AsyncIterator[Any]:
        import asyncio

        for future in self._left:
            await asyncio.wait([future])
            yield future


def _timers(loop: Any) -> list[Any]:
    """Timers that were not cancelled; all of them where each was."""
    return [timer for timer in loop._scheduled if not timer._cancelled] or loop._scheduled


def _waits_for_sockets(loop: Any) -> bool:
    selector = getattr(loop, "_selector", None)
    known = selector.get_map() if selector is not None else None
    return known is None or len(known) > _OWN_SOCKETS
