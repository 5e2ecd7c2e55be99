"""Hears of messages between processes, through queues and pipes of Python's.

Who waits for a message may end its sender once it has come: a pool is closed that way. What was
computed until then must have been written. The ledger takes the frames of this module for not there
(see `samebits.check.record.sources`): nothing else may be done here.

All messages go through two methods of a connection that Python does not document. Where another
version has no such methods, no message is heard of: then runs are compared without their order.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import zlib
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from samebits.core.on_import import when_imported

if TYPE_CHECKING:
    from samebits.check.record.piped import PipedMessages

SENT, RECEIVED, JOINED = range(3)
"""Positions in `samebits.check.trace.schema.PIPE_EVENTS`."""

_ALL_BITS = 0xFFFFFFFFFFFFFFFF
_END = 1 << 19
"""Of a larger message than two of these only both ends count: an array may take long to read."""
_CHANNEL = "_samebits_channel"
"""On a connection: its number. It is the same in a process that was forked."""

_put: WeakKeyDictionary[Any, deque[_Put]] = WeakKeyDictionary()
"""The connection of a queue → who has put what its feeder has yet to send."""


class _Put(NamedTuple):
    """Something was put into a queue.

    Attributes:
        process: The number of the process: a forked child inherits its parent's.
        sender: What keeps the messages of the thread.
        row: Operations that the thread had recorded.
    """

    process: int
    sender: PipedMessages
    row: int


class Listener(Protocol):
    """What hears of messages."""

    def here(self) -> PipedMessages | None:
        """What keeps the messages of the calling thread; None where nobody will ask for them."""

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
        with contextlib.suppress(Exception):  # a message of the script's must not fail for ours
            put = _who_has_put(self)
            sender, row = (listener.here(), None) if put is None else (put.sender, put.row)
            if sender is not None:
                sender.note(SENT, _channel(self), _digest(buf), row)
        listener.flush()
        return send_bytes(self, buf)

    @functools.wraps(recv_bytes)
    def receive(self: Any, *args: Any, **kwargs: Any) -> Any:
        received = recv_bytes(self, *args, **kwargs)
        with contextlib.suppress(Exception):
            receiver = None if received is None else listener.here()
            if receiver is not None:
                receiver.note(RECEIVED, _channel(self), _digest(received.getbuffer()))
        return received

    @functools.wraps(make_pipe)
    def pipe(*args: Any, **kwargs: Any) -> Any:
        ends = make_pipe(*args, **kwargs)
        with contextlib.suppress(Exception):
            first, second = map(_channel, ends)
            maker = listener.here()
            if first != second and maker is not None:
                maker.note(JOINED, first, second)
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
        noted = None
        with contextlib.suppress(Exception):
            sender = listener.here()
            noted = None if sender is None else _note_put(self, sender)
        try:
            return original(self, *args, **kwargs)
        except BaseException:
            if noted is not None:
                waiting, entry = noted
                with contextlib.suppress(ValueError):  # it was taken for another one
                    waiting.remove(entry)
            raise

    return put


def _note_put(queue: Any, sender: PipedMessages) -> tuple[deque[_Put], _Put]:
    """Keep who puts something: a thread of the queue's own sends it, when more was computed."""
    writer = getattr(queue._writer, "conn", queue._writer)  # torch's queues have a wrapper there
    waiting = _put.setdefault(writer, deque())
    # What could not be pickled was never sent.
    while len(waiting) > len(queue._buffer) + 1:
        waiting.popleft()
    entry = _Put(os.getpid(), sender, sender.row())
    waiting.append(entry)
    return waiting, entry


def _who_has_put(connection: Any) -> _Put | None:
    """Who has put the message into a queue that is being sent; None for a pipe."""
    waiting = _put.get(connection)
    while waiting:
        entry = waiting.popleft()
        if entry.process == os.getpid():
            return entry
    return None


def _channel(connection: Any) -> int:
    """A number that both ends of a pipe share, in all processes; of a socket, each has its own.

    Those of two machines hardly meet.
    """
    known: int | None = connection.__dict__.get(_CHANNEL)
    if known is None:
        found = os.fstat(connection.fileno())
        machine = zlib.crc32(os.uname().nodename.encode())
        known = (machine << 32) ^ (found.st_dev << 48 & _ALL_BITS) ^ found.st_ino
        connection.__dict__[_CHANNEL] = known
    return known


def _digest(message: Any) -> int:
    view = memoryview(message).cast("B")
    whole = len(view) <= 2 * _END
    ends = zlib.crc32(view) if whole else zlib.crc32(view[-_END:], zlib.crc32(view[:_END]))
    return (len(view) << 32 & _ALL_BITS) | ends
