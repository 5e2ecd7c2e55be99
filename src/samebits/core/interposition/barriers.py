"""Threads that meet at a barrier go on one after another, in the order in which they came."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass, field

from samebits.core.interposition.hook import Function
from samebits.core.interposition.waiting import threads_state, wait_until


@dataclass
class _Round:
    """One meeting of a barrier's threads.

    Attributes:
        threads: Those that have come, in that order.
        gone: Those that have gone on.
    """

    threads: list[threading.Thread] = field(default_factory=list)
    gone: set[threading.Thread] = field(default_factory=set)


class Barriers:
    """Lets the threads of a barrier go on by turns.

    Each waits until those that came before it have ended, or stand at a barrier again. Where one of
    them waits for something else instead, the next one goes on.

    Args:
        limit: Seconds that one waits for the others at most.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._rounds: weakref.WeakKeyDictionary[threading.Barrier, _Round] = (
            weakref.WeakKeyDictionary()
        )
        self._standing: set[threading.Thread] = set()

    def hold(self, thread: threading.Thread) -> bool:
        """Whether a thread stands at a barrier."""
        return thread in self._standing

    def wait(self, original: Function, barrier: threading.Barrier, timeout: float | None) -> int:
        """Wait at a barrier, and then for one's turn.

        Args:
            original: The method of `threading.Barrier`.
            barrier: The barrier; of processes it is another class.
            timeout: Seconds to wait there at most.

        Returns:
            What the method returns.
        """
        me = threading.current_thread()
        with self._lock:
            meeting = self._rounds.setdefault(barrier, _Round())
            meeting.threads.append(me)
            self._standing.add(me)
        came = False
        try:
            index: int = original(barrier, timeout)
            came = True
        finally:
            if not came:  # it was broken, or took too long: nobody meets there
                with self._lock:
                    meeting.threads.remove(me)
                    self._standing.discard(me)
        with self._lock:
            if self._rounds.get(barrier) is meeting:
                del self._rounds[barrier]  # whoever comes now is of the next one
        before = meeting.threads[: meeting.threads.index(me)]
        wait_until(
            lambda: all(self._has_had_its_turn(thread, meeting) for thread in before),
            lambda: threads_state(before),
            self._limit,
        )
        with self._lock:
            meeting.gone.add(me)
            self._standing.discard(me)
        return index

    def _has_had_its_turn(self, thread: threading.Thread, meeting: _Round) -> bool:
        return thread in meeting.gone and (thread in self._standing or not thread.is_alive())
