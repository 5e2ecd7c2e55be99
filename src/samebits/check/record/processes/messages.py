"""Hears of messages to other processes before they are sent.

Who waits for a message may end its sender once it has come: a pool is closed that way. What was
computed until then must have been written. The ledger takes the frames of this module for not there
(see `samebits.check.record.sources`): nothing else may be done here.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from samebits.core.on_import import when_imported

_SENDERS = (
    ("multiprocessing.connection", "Connection", ("send", "send_bytes")),
    ("multiprocessing.queues", "Queue", ("put",)),
)
"""Module, class and methods through which processes of Python's send each other messages."""


def install(about_to_send: Callable[[], None]) -> None:
    """Have `about_to_send` called before each message, for as long as the process lives."""
    for module, name, methods in _SENDERS:
        when_imported(module, functools.partial(_listen, module, name, methods, about_to_send))


def _listen(module: str, name: str, methods: tuple[str, ...], tell: Callable[[], None]) -> None:
    owner = getattr(sys.modules[module], name)
    for method in methods:
        setattr(owner, method, _around(getattr(owner, method), tell))


def _around(original: Callable[..., Any], tell: Callable[[], None]) -> Callable[..., Any]:
    @functools.wraps(original)
    def send(*args: Any, **kwargs: Any) -> Any:
        tell()
        return original(*args, **kwargs)

    return send
