"""What may have passed from process to process through queues and pipes, and when.

A divergence of one process may have reached another one only where a message was sent after it that
the other has received, be it through further processes. That is an order of causes: of what was
passed on, not of clocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import PIPE_EVENTS

_SENT, _RECEIVED, _JOINED = (PIPE_EVENTS.index(name) for name in ("sent", "received", "joined"))

_Content = tuple[int, int]
"""Channel and digest of a message."""


@dataclass(frozen=True)
class _Message:
    """A message that was received, and that the other run does not have.

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
        others: The same of the run that it is compared with. What a process sent there as well, at
            the same place among its messages, tells nobody of a difference.

    Raises:
        TraceError: A trace is damaged.
    """

    def __init__(self, traces: Mapping[str, Trace], others: Mapping[str, Trace]) -> None:
        self._of: dict[str, list[_Message]] = defaultdict(list)
        sent: dict[_Content, list[tuple[str, int, bool]]] = defaultdict(list)
        received: dict[_Content, list[tuple[str, int]]] = defaultdict(list)
        other_end: dict[int, int] = {}
        for name, trace in traces.items():
            known = iter(_sent(others[name]) if name in others else ())
            for row, event, channel, digest in _rows(trace):
                if event == _SENT:
                    sent[channel, digest].append((name, row, next(known, None) == digest))
                elif event == _RECEIVED:
                    received[channel, digest].append((name, row))
                elif event == _JOINED:
                    other_end[channel], other_end[digest] = digest, channel
        for (channel, digest), arrived in received.items():
            put = sent.get((other_end.get(channel, channel), digest), [])
            # Equal messages come in the order in which they were sent, from one to one other.
            if len({name for name, *_ in put}) != 1 or len({name for name, _ in arrived}) != 1:
                continue
            for (sender, at, is_known), (receiver, row) in zip(put, arrived, strict=False):
                if not is_known:
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


def _rows(trace: Trace) -> Iterator[tuple[int, int, int, int]]:
    columns = trace.piped()
    values = (columns[key].tolist() for key in ("row", "event", "channel", "digest"))
    yield from zip(*values, strict=True)


def _sent(trace: Trace) -> list[int]:
    columns = trace.piped()
    digests: list[int] = columns["digest"][columns["event"] == _SENT].tolist()
    return digests
