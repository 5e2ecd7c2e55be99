"""Leaves out what RPC agents tell each other as they come up: it is no data of the script's.

They gather pickled facts about their devices, of different lengths, in tensors that are padded with
memory which nobody has written. Gloo copies them on a thread of its own, which takes the dispatch
mode of the caller with it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from samebits.core import _native
from samebits.core.on_import import when_imported

_REGISTRY = "torch.distributed.rpc.backend_registry"
_GATHERS = "_tensorpipe_exchange_and_check_all_device_maps"


def leave_out_messages_of_agents(native: _native.Recorder) -> Callable[[], None]:
    """Record no operation while agents exchange them, from the moment that torch's RPC is imported.

    Args:
        native: The recorder of the process's first thread.

    Returns:
        What ends that again.
    """
    undo: list[Callable[[], None]] = []
    ended: list[bool] = []

    def imported() -> None:
        registry = sys.modules[_REGISTRY]
        original = getattr(registry, _GATHERS, None)
        if original is None or ended:
            return

        @functools.wraps(original)
        def gathers(*args: Any, **kwargs: Any) -> Any:
            before, native.recording_ops = native.recording_ops, False
            try:
                return original(*args, **kwargs)
            finally:
                native.recording_ops = before

        setattr(registry, _GATHERS, gathers)

        def put_back() -> None:
            if getattr(registry, _GATHERS, None) is gathers:
                setattr(registry, _GATHERS, original)

        undo.append(put_back)

    when_imported(_REGISTRY, imported)

    def end() -> None:
        ended.append(True)
        while undo:
            undo.pop()()

    return end
