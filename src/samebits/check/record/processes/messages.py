"""Hears of messages between processes, through queues and pipes of Python's.

Who waits for a message may end its sender once it has come: a pool is closed that way. What was
computed until then must have been written. The ledger takes the frames of this module for not there
(see `samebits.check.record.sources`): nothing else may be done here.

All messages go through two methods of a connection that Python does not document. Where another
version has no such methods, no message is heard of: then runs are compared without their order.
"""

from __future__ import annotations

import functools
import os
import sys
import zlib
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from samebits.core.on_import import when_imported

if TYPE_CHECKING:
    from samebits.check.record.piped import PipedMessages

SENT, RECEIVED, JOINED = range(3)
"""Positions in `samebits.check.trace.schema.PIPE_EVENTS`."""

_ENDS = 256
"""So many bytes at its beginning, and at its end, tell a message from others."""


_ALL_BITS = 0xFFFFFFFFFFFFFFFF

_PUT = "_samebits_put"
"""On the connection of a queue: who has put what its feeder has yet to send."""
_CHANNEL = "_samebits_channel"
"""On a connection: its number. It is the same in a process that was forked."""


class Listener(Protocol):
    """What hears of messages."""

    def here(self) -> PipedMessages:
        """What keeps the messages of the calling thread."""

    def flush(self) -> None:
        """Write what the calling thread has computed."""


def install(listener: Listener) -> None:
    """Tell `listener` of each message, for as long as the process lives."""
    when_imported("multiprocessing.connection", functools.partial(_on_connections, listener))
    when_imported("multiprocessing.queues", functools.partial(_on_queues, listener))


def _on_connections(listener: Listener) -> None:
    module: Any = sys.modules["multiprocessing.connection"]
    connection = module.Connection
    if not (hasattr(connection, "_send_bytes") and hasattr(connection, "_recv_bytes")):
        return
    send_bytes, recv_bytes, make_pipe = connection._send_bytes, connection._recv_bytes, module.Pipe

    @functools.wraps(send_bytes)
    def send(self: Any, buf: Any) -> Any:
        sender, row = _who_has_put(self) or (listener.here(), None)
        sender.note(SENT, _channel(self), _digest(buf), row)
        listener.flush()
        return send_bytes(self, buf)

    @functools.wraps(recv_bytes)
    def receive(self: Any, *args: Any, **kwargs: Any) -> Any:
        received = recv_bytes(self, *args, **kwargs)
        if received is not None:
            listener.here().note(RECEIVED, _channel(self), _digest(received.getbuffer()))
        return received

    @functools.wraps(make_pipe)
    def pipe(*args: Any, **kwargs: Any) -> Any:
        ends = make_pipe(*args, **kwargs)
        first, second = map(_channel, ends)
        if first != second:
            listener.here().note(JOINED, first, second)
        return ends

    connection._send_bytes, connection._recv_bytes, module.Pipe = send, receive, pipe


def _on_queues(listener: Listener) -> None:
    module: Any = sys.modules["multiprocessing.queues"]
    for kind in (module.Queue, module.JoinableQueue):
        kind.put = _putting(kind.put, listener)


def _putting(original: Callable[..., Any], listener: Listener) -> Callable[..., Any]:
    @functools.wraps(original)
    def put(self: Any, *args: Any, **kwargs: Any) -> Any:
        listener.flush()
        # A thread of the queue's own sends it later, when more has been computed here.
        waiting = self._writer.__dict__.setdefault(_PUT, deque())
        sender = listener.here()
        entry = (os.getpid(), sender, sender.row())
        waiting.append(entry)
        try:
            return original(self, *args, **kwargs)
        except BaseException:
            waiting.remove(entry)
            raise

    return put


def _who_has_put(connection: Any) -> tuple[PipedMessages, int] | None:
    """Who has put the message into a queue that is being sent, and its row; None for a pipe."""
    waiting = getattr(connection, _PUT, ())
    while waiting:
        process, sender, row = waiting.popleft()
        if process == os.getpid():  # a forked child has its parent's
            return sender, row
    return None


def _channel(connection: Any) -> int:
    """A number that both ends of a pipe share, in all processes; of a socket, each has its own."""
    known: int | None = connection.__dict__.get(_CHANNEL)
    if known is None:
        found = os.fstat(connection.fileno())
        known = (found.st_dev << 48 & _ALL_BITS) ^ found.st_ino
        connection.__dict__[_CHANNEL] = known
    return known


def _digest(message: Any) -> int:
    view = memoryview(message).cast("B")
    ends = zlib.crc32(view[-_ENDS:], zlib.crc32(view[:_ENDS]))
    return (len(view) << 32 & _ALL_BITS) | ends
