"""What child processes hand over: all that comes is awaited, then taken in a fixed order."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import weakref
from typing import Any

from samebits.core.interposition.hook import Function
from samebits.core.interposition.waiting import process_state, wait_until

_PROTOCOL = 3
"""Of pickle: later ones begin with a length, which would be compared before any content."""


class Arrivals:
    """Items of queues between processes, in an order that does not depend on their pace.

    Who takes an item is given the first of all that comes until every child process has ended or
    waits itself. First is what is least as bytes; the others are kept for those who ask next.

    Args:
        limit: Seconds to wait for the children at most.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._kept: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()

    def kept(self, queue: Any) -> list[Any]:
        """Items that were taken from a queue, and that nobody has been given yet."""
        return self._kept.get(queue, [])

    def take(self, queue: Any, get: Function, *how: Any, **named: Any) -> Any:
        """An item of a queue.

        Args:
            queue: Of `multiprocessing`.
            get: Its method, for one item.
            how: What the caller has said of waiting.
            named: The same by name.
        """
        kept = self.kept(queue)
        if kept:
            return kept.pop(0)
        items = [get(queue, *how, **named)]
        while self._comes(lambda: bool(queue._poll())):
            items.append(get(queue))
        if len(items) > 1:
            with contextlib.suppress(Exception):  # what cannot be compared stays as it came
                items.sort(key=lambda item: pickle.dumps(item, _PROTOCOL))
            self._kept[queue] = items[1:]
        return items[0]

    def ready(self, wait: Function, objects: Any, timeout: float | None = None) -> list[Any]:
        """Those of several connections and processes that are ready, in the order of asking.

        Args:
            wait: `multiprocessing.connection.wait`.
            objects: Its arguments.
            timeout: Seconds, until the first one is ready.
        """
        asked = list(objects)
        found = wait(asked, timeout)
        if found:
            self._comes(lambda: len(wait(asked, 0)) == len(asked))
            found = wait(asked, 0)
        order = {id(one): number for number, one in enumerate(asked)}
        return sorted(found, key=lambda one: order[id(one)])

    def _comes(self, there: Function) -> bool:
        """Whether something comes before all children have ended or wait."""
        return wait_until(there, _state_of_children, self._limit)


def _state_of_children() -> tuple[object, bool]:
    """How far they are, and whether none of them does anything."""
    states = [process_state(child.pid) for child in multiprocessing.active_children()]
    return [progress for progress, _ in states], all(waits for _, waits in states)
