"""Tells which rank a process has, once it has joined a group of processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.core import _native
from samebits.core.on_import import when_imported

RANK = "rank"
"""The event of a group that was joined, with the rank in it and how many ranks it has."""


def when_joined(native: _native.Recorder, then: Callable[[int, int], None]) -> None:
    """Hear of a rank that the environment does not tell, as with `mp.spawn`.

    Args:
        native: The process's recorder.
        then: Takes the rank, and how many ranks there are. A process that this one forks is not
            told of.
    """
    number = os.getpid()

    def listen() -> None:
        distributed: Any = sys.modules["torch.distributed"]
        if not distributed.is_available():
            return

        def joined(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if os.getpid() == number:
                then(distributed.get_rank(), distributed.get_world_size())

        hook_function(native, distributed, "init_process_group", CALL, joined)

    when_imported("torch.distributed", listen)
