"""What the script prints, noted beside the step in which it was printed."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

from samebits.check.record.function_hooks import CALL
from samebits.core import _native
from samebits.core.catalog.own_names import REAL

_MOST_DURATIONS = 4096
_MOST_LINES = 100_000
_PENDING_CHARACTERS = 1 << 22


_listening: WeakSet[PrintedOutput] = WeakSet()


def _forked() -> None:
    for printed in list(_listening):
        printed._forked()


# Once, and not for each: what is registered is never taken out again.
os.register_at_fork(after_in_child=_forked)


class PrintedOutput:
    """Listens to `sys.stdout.write`; the stream object, its file and its encoding stay as they are.

    Args:
        native: The process's recorder, which makes the hook.
        step: Gives the number of optimizer steps done.
        is_duration: Tells a number of seconds that has just passed between two readings of a clock.

    Attributes:
        durations: Such numbers, as they were printed.
        by_others: Numbers of the lines, from 0, that another thread than the main one has printed
            into; the first ones of many.
    """

    def __init__(
        self,
        native: _native.Recorder,
        step: Callable[[], int],
        is_duration: Callable[[float], bool],
    ) -> None:
        self.durations: set[str] = set()
        self.by_others: dict[int, None] = {}
        self._is_duration = is_duration
        self._step = step
        self._sink: Callable[[str], None] | None = None
        self._pending: list[str] = []
        self._pending_size = 0
        self._at_line_start = True
        self._lines = 0
        self._written: deque[tuple[str, int, bool]] = deque()
        self._turn = threading.Lock()
        self._sender: int | None = None
        _listening.add(self)
        self._need_sink: Callable[[], None] | None = None
        stream: Any = sys.stdout
        if stream is not None and hasattr(stream, "__dict__"):
            stream.write = native.call_hook(CALL, stream.write, self._wrote)

    def connect(self, sink: Callable[[str], None]) -> None:
        """Send on everything from here on, after what has been waiting."""
        if self._sender == threading.get_ident():
            self._connect(sink)  # it was asked for by `when_full`
        else:
            with self._turn:
                self._connect(sink)

    def when_full(self, action: Callable[[], None]) -> None:
        """Call `action`, which must connect a sink, before more than a few megabytes wait."""
        self._need_sink = action

    def _connect(self, sink: Callable[[str], None]) -> None:
        self._sink = sink
        pending, self._pending, self._pending_size = self._pending, [], 0
        for text in pending:
            sink(text)

    def _wrote(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if not args or not isinstance(args[0], str) or not args[0]:
            return
        self._find_durations(args[0])
        by_main = threading.current_thread() is threading.main_thread()
        self._written.append((args[0], self._step(), by_main))
        self._send()

    def _send(self) -> None:
        """Pass on what was written, in that order, one thread at a time.

        Nobody waits: who finds another at it, or a signal handler what it has interrupted, leaves
        its text to that one.
        """
        while self._written and self._turn.acquire(blocking=False):
            self._sender = threading.get_ident()
            try:
                while self._written:
                    self._pass_on(self._tagged(*self._written.popleft()))
            finally:
                self._sender = None
                self._turn.release()

    def _pass_on(self, text: str) -> None:
        if self._sink is not None:
            self._sink(text)
            return
        self._pending.append(text)
        self._pending_size += len(text)
        if self._pending_size > _PENDING_CHARACTERS and self._need_sink is not None:
            self._need_sink()

    def _forked(self) -> None:
        """In a forked child the thread that was at it is gone; its text is the parent's to note."""
        self._turn, self._sender = threading.Lock(), None
        self._written.clear()

    def _find_durations(self, text: str) -> None:
        if len(self.durations) >= _MOST_DURATIONS or "." not in text:
            return
        for found in REAL.finditer(text):
            if self._is_duration(float(found[0])):
                self.durations.add(found[0])

    def _tagged(self, text: str, step: int, by_main: bool) -> str:
        """The text, each line with the step number and a tab before it."""
        tag = f"{step}\t"
        lines = text.splitlines(keepends=True)
        self._note_thread(text, by_main)
        first = tag if self._at_line_start else ""
        self._at_line_start = text.endswith("\n")
        return first + tag.join(lines)

    def _note_thread(self, text: str, by_main: bool) -> None:
        begin, ended = self._lines, text.count("\n")
        self._lines += ended
        if not by_main and len(self.by_others) < _MOST_LINES:
            last = self._lines - text.endswith("\n")
            self.by_others.update(dict.fromkeys(range(begin, last + 1)))
