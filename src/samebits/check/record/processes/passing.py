"""Keeps the messages of this process, and of each of its threads, where the others' rows go."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from samebits.check.record.piped import PipedMessages

if TYPE_CHECKING:
    from samebits.check.record.recorder import Recorder


class Passing:
    """Hears of messages of this process.

    Args:
        recorder: Gives the recorder of the process's first thread; None before torch is imported.
        of_thread: Gives what keeps the messages of the calling thread, where it is another one.
        flush: Writes what the calling thread has computed.
    """

    def __init__(
        self,
        recorder: Callable[[], Recorder | None],
        of_thread: Callable[[], PipedMessages | None],
        flush: Callable[[], None],
    ) -> None:
        self._recorder = recorder
        self._of_thread = of_thread
        self.flush = flush
        self._early = PipedMessages()
        self._has_ended = False

    def here(self) -> PipedMessages | None:
        """What keeps the messages of the calling thread; None where nobody will ask for them."""
        if self._has_ended:
            return None
        own = self._of_thread()
        if own is not None:
            return own
        recorder = self._recorder()
        if recorder is None:
            return self._early
        if self._early is not recorder.piped:
            self._early.go_on_as(recorder.piped)
            self._early = recorder.piped
        return recorder.piped

    def end(self) -> None:
        """In a process that is not recorded: note no more."""
        self._has_ended = True

    def restart(self) -> None:
        """In a forked child: the parent's messages are not its own."""
        self._early = PipedMessages()
        self._has_ended = False
