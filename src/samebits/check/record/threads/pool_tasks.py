"""Whether the tasks that a process gives to pools of threads were done one after another."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any


class PoolTasks:
    """Hears of each task, and asks whether the one before it was done by then.

    Attributes:
        in_sequence: Whether all were, and the main thread has asked for each.
    """

    def __init__(self) -> None:
        self.in_sequence = True
        # Weak: what a task has returned is not ours to keep. A task that is not done holds it.
        self._before: Callable[[], Any] = lambda: None

    def submitted(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """A task was given to a pool; `result` is its future."""
        is_main = threading.current_thread() is threading.main_thread()
        before, self._before = self._before(), weakref.ref(result)
        if not is_main or not (before is None or before.done()):
            self.in_sequence = False
