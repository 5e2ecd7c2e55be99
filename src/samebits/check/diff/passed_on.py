"""What may have passed from process to process through queues and pipes, and when.

A divergence of one process may have reached another one only where a message was sent after it that
the other has received, be it through further processes. That is an order of causes: of what was
passed on, not of clocks.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass

from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import PIPE_EVENTS

_SENT, _RECEIVED, _JOINED = (PIPE_EVENTS.index(name) for name in ("sent", "received", "joined"))


@dataclass(frozen=True)
class _Message:
    """A message that was received.

    Attributes:
        sent: Operations that its sender had recorded when it was handed over.
        receiver: Who got it.
        received: Operations that the receiver had recorded by then.
    """

    sent: int
    receiver: str
    received: int


class PassedOn:
    """The messages between the recorded processes and threads of a run.

    Args:
        traces: Name of a process or thread → what it has recorded.

    Raises:
        TraceError: A trace is damaged.
    """

    def __init__(self, traces: Mapping[str, Trace]) -> None:
        self._of: dict[str, list[_Message]] = defaultdict(list)
        sent: dict[tuple[int, int], deque[tuple[str, int]]] = defaultdict(deque)
        received: list[tuple[int, int, str, int]] = []
        other_end: dict[int, int] = {}
        for name, trace in traces.items():
            columns = trace.piped()
            values = (columns[key].tolist() for key in ("row", "event", "channel", "digest"))
            for row, event, channel, digest in zip(*values, strict=True):
                if event == _SENT:
                    sent[channel, digest].append((name, row))
                elif event == _RECEIVED:
                    received.append((channel, digest, name, row))
                elif event == _JOINED:
                    other_end[channel], other_end[digest] = digest, channel
        for channel, digest, receiver, row in received:
            # Messages of equal bytes arrive in the order in which they were sent.
            waiting = sent.get((other_end.get(channel, channel), digest))
            if waiting:
                sender, at = waiting.popleft()
                self._of[sender].append(_Message(at, receiver, row))

    def reached(self, sender: str, row: int) -> dict[str, int]:
        """Whom a process may have told of its operation `row`, and from which of their rows on.

        Args:
            sender: The process.
            row: Its row.

        Returns:
            Process → operations that it had recorded when the first such message came.
        """
        since = {sender: row + 1}
        pending = [sender]
        while pending:
            teller = pending.pop()
            for message in self._of.get(teller, ()):
                known = since.get(message.receiver)
                if message.sent >= since[teller] and (known is None or message.received < known):
                    since[message.receiver] = message.received
                    pending.append(message.receiver)
        del since[sender]
        return since
